import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Account, callOf, makeAccount, reservation } from "#domain/ledger/accounts.fixture.ts";
import { audit } from "#domain/ledger/balances/audit.ts";
import type { ReserveInput } from "#domain/ledger/batches/operations.ts";
import { bookCharges } from "#domain/ledger/bookings/book-charges.ts";
import type { CallRecord } from "#domain/ledger/calls/call-record.ts";
import { readRow, rowOf } from "#domain/ledger/calls/log-rows.ts";
import { createLedger, type Ledger, type LedgerOptions } from "#domain/ledger/ledger.ts";
import type { Database } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";

/** Checkpoints of long calls, and how these calls end when their node dies. */
let database: Database;
let written = 0;
const opened: Ledger[] = [];
const errors: unknown[] = [];

beforeAll(async () => {
  database = await openTestDatabase({ max: 12 });
});
afterEach(async () => {
  for (const ledger of opened.splice(0)) await ledger.close();
  expect(await audit(database.pool)).toMatchObject({ drift: 0n, rows: [] });
  expect(await database.db.reservation.count()).toBe(0);
  expect(errors.splice(0)).toEqual([]);
});
afterAll(async () => {
  await database.close();
});

async function openNode(over: Partial<LedgerOptions> = {}): Promise<Ledger> {
  const ledger = createLedger({
    database,
    nodeId: randomUUID(),
    onError: (error) => void errors.push(error),
    onCheckpoints: (calls) => void (written += calls),
    ...over,
  });
  await ledger.start();
  opened.push(ledger);
  return ledger;
}

/** Returns the call as it would be charged if its node died. */
function soFar(reserved: ReserveInput, quota: bigint, createdAt: Date): CallRecord {
  const usage = { input: 100, output: Number(quota), cacheRead: 3 };
  return callOf(reserved, quota, { createdAt, outcome: "interrupted", status: 503, usage, estimated: true });
}

async function warmUp(ledger: Ledger, account: Account, tokenAmount = 0n): Promise<void> {
  for (let calls = 0; calls < 5; calls += 1) {
    const reserved = reservation(account, 100n, tokenAmount);
    await ledger.reserve(reserved);
    await ledger.settle(callOf(reserved, 0n));
  }
}

async function userOf({ userId }: Account) {
  await bookCharges(database.db, userId);
  return database.db.user.findUniqueOrThrow({ where: { id: userId } });
}

const reservationOf = ({ requestId }: ReserveInput) =>
  database.db.reservation.findUnique({ where: { request_id: requestId } });

async function logOf({ requestId }: ReserveInput) {
  const { rows } = await database.pool.query<{ quota: bigint; outcome: string; completion_tokens: bigint }>(
    "SELECT quota, outcome, completion_tokens FROM request_logs WHERE request_id = $1",
    [requestId],
  );
  return rows;
}

/** Makes the reservations of this node look abandoned to other nodes. */
async function abandon(reserved: ReserveInput): Promise<void> {
  await database.db.reservation.update({
    where: { request_id: reserved.requestId },
    data: { node_id: "a-node-that-died" },
  });
}

const takeover = { beatMs: 100, silentAfterMs: 300 };

describe("checkpoint", () => {
  it("is read back as the call that was written, with every field of its log row", () => {
    const reserved = reservation({ userId: 7, tokenId: 9 }, 5n);
    const record = callOf(reserved, 12_345n, {
      outcome: "interrupted",
      partlyReserved: true,
      bill: { price_type: "tokens", group_ratio: "1", lines: [], exact: "12345" },
      attempts: [{ channel_id: 1, channel_name: "a", result: "ok", status: 200, duration: 5, message: "" }],
      paused: [
        {
          channel_id: 2,
          channel_name: "b",
          reason: "server",
          paused_until: 1,
          provider_asked: true,
          own_calls_only: false,
        },
      ],
      usage: { input: 3, output: 4 },
      contentFacts: [{ code: "callSucceeded", params: {} }],
    });
    const read = readRow(JSON.parse(JSON.stringify(rowOf(record))));
    expect(rowOf(read!)).toEqual(rowOf(record));
    expect(readRow({ ...rowOf(record), quota: "-1" })).toBeUndefined();
    expect(readRow({ ...rowOf(record), user_id: undefined })).toBeUndefined();
    expect(readRow(null)).toBeUndefined();
  });

  it.each([{ tokenQuota: undefined }, { tokenQuota: 900_000n }])(
    "moves the call's reservation out of its lease, and the end is charged once (%o)",
    async ({ tokenQuota }) => {
      const account = await makeAccount(database, {
        quota: 1_000_000n,
        ...(tokenQuota === undefined ? {} : { tokenQuota }),
      });
      const tokenAmount = tokenQuota === undefined ? 0n : 100n;
      const ledger = await openNode();
      await warmUp(ledger, account, tokenAmount);
      const reserved = reservation(account, 100n, tokenAmount);
      await ledger.reserve(reserved);
      const before = await userOf(account);
      expect(before.reserved).toBe(0n);
      const at = new Date();
      await ledger.checkpoint([soFar(reserved, 10n, at)]);
      expect(await userOf(account)).toMatchObject({ reserved: 100n, leased: before.leased - 100n });
      expect(await reservationOf(reserved)).toMatchObject({
        amount: 100n,
        token_amount: tokenAmount,
        version: 0,
      });
      expect(await audit(database.pool)).toMatchObject({ drift: 0n, rows: [] });
      await ledger.checkpoint([soFar(reserved, 20n, at)]);
      expect(await reservationOf(reserved)).toMatchObject({
        checkpoint: expect.objectContaining({ quota: "20" }),
      });
      const record = callOf(reserved, 60n, { createdAt: at });
      const ends = await Promise.all([ledger.settle(record), ledger.settle(record)]);
      expect(ends.sort()).toEqual(["gone", "settled"]);
      // A late checkpoint has no effect.
      await ledger.checkpoint([soFar(reserved, 30n, at)]);
      expect(await reservationOf(reserved)).toBeNull();
      expect(await userOf(account)).toMatchObject({ quota: 999_940n, reserved: 0n, used_quota: 60n });
      expect(await logOf(reserved)).toMatchObject([{ quota: 60n, outcome: "complete" }]);
      // The lease stays usable.
      const next = reservation(account, 100n, tokenAmount);
      await ledger.reserve(next);
      expect(await reservationOf(next)).toBeNull();
      await ledger.settle(callOf(next, 1n));
    },
  );

  it("adds no statement for calls without a checkpoint", async () => {
    const account = await makeAccount(database, { quota: 1_000_000n });
    let batches = 0;
    const ledger = await openNode({ onBatch: () => (batches += 1) });
    await warmUp(ledger, account);
    [written, batches] = [0, 0];
    for (let calls = 0; calls < 20; calls += 1) {
      const reserved = reservation(account, 100n);
      await ledger.reserve(reserved);
      await ledger.settle(callOf(reserved, 7n));
    }
    expect([written, batches]).toEqual([0, 20]);
    await ledger.checkpoint([]);
    expect(written).toBe(0);
  });

  it("is written together for calls of many leases, while other calls begin and end", async () => {
    const accounts = await Promise.all(
      Array.from({ length: 6 }, () => makeAccount(database, { quota: 1_000_000n })),
    );
    const ledger = await openNode();
    for (const account of accounts) await warmUp(ledger, account);
    const calls = accounts.flatMap((account) => Array.from({ length: 10 }, () => reservation(account, 100n)));
    await Promise.all(calls.map((reserved) => ledger.reserve(reserved)));
    const at = new Date();
    for (const cost of [10n, 20n, 30n]) {
      await Promise.all([
        ledger.checkpoint(calls.map((reserved) => soFar(reserved, cost, at))),
        ...accounts.map(async (account) => {
          const short = reservation(account, 50n);
          await ledger.reserve(short);
          expect(await ledger.settle(callOf(short, 0n))).toBe("settled");
        }),
      ]);
      expect(await audit(database.pool)).toMatchObject({ drift: 0n, rows: [] });
    }
    expect(await database.db.reservation.count({ where: { version: 0 } })).toBe(60);
    const ends = await Promise.all(
      calls.map((reserved) => ledger.settle(callOf(reserved, 90n, { createdAt: at }))),
    );
    expect(new Set(ends)).toEqual(new Set(["settled"]));
    for (const account of accounts)
      expect(await userOf(account)).toMatchObject({ quota: 1_000_000n - 900n, reserved: 0n });
  });

  it("leaves one charge when it races with the end of its call", async () => {
    const account = await makeAccount(database, { quota: 1_000_000n });
    const ledger = await openNode();
    await warmUp(ledger, account);
    for (let round = 0; round < 30; round += 1) {
      const reserved = reservation(account, 100n);
      await ledger.reserve(reserved);
      const at = new Date();
      const checkpoint = () => ledger.checkpoint([soFar(reserved, 10n, at)]);
      const end = () => ledger.settle(callOf(reserved, round % 3 === 0 ? 130n : 70n, { createdAt: at }));
      const both = round % 2 === 0 ? [checkpoint(), end()] : [end(), checkpoint()];
      expect(await Promise.all(both)).toContain("settled");
      expect(await reservationOf(reserved)).toBeNull();
      expect(await logOf(reserved)).toHaveLength(1);
    }
    expect((await userOf(account)).quota).toBe(1_000_000n - 10n * 130n - 20n * 70n);
  });
});

describe("call of a dead node", () => {
  it("is charged once up to its last checkpoint, with an interrupted log row", async () => {
    const account = await makeAccount(database, { quota: 1_000_000n });
    const ledger = await openNode();
    await warmUp(ledger, account);
    const reserved = reservation(account, 100n);
    await ledger.reserve(reserved);
    const at = new Date();
    await ledger.checkpoint([soFar(reserved, 10n, at)]);
    await ledger.checkpoint([soFar(reserved, 40n, at)]);
    await abandon(reserved);
    // Two nodes take over at the same time.
    await openNode(takeover);
    await openNode(takeover);
    await expect.poll(async () => logOf(reserved)).toHaveLength(1);
    await sleep(500);
    expect(await logOf(reserved)).toEqual([{ quota: 40n, outcome: "interrupted", completion_tokens: 40n }]);
    expect(await userOf(account)).toMatchObject({ quota: 999_960n, used_quota: 40n, reserved: 0n });
    // The node was only paused: it must not charge a reservation that it has lost.
    await ledger.checkpoint([soFar(reserved, 50n, at)]);
    expect(await ledger.settle(callOf(reserved, 90n, { createdAt: at }))).toBe("gone");
    expect(await userOf(account)).toMatchObject({ quota: 999_960n, used_quota: 40n });
    // It must not write a second log row either.
    const lost = { type: 5, outcome: "failed", errorCode: "reservation_lost", createdAt: at } as const;
    await ledger.logRefused(callOf(reserved, 0n, lost));
    expect(await logOf(reserved)).toHaveLength(1);
  });

  it("is released without a charge when its checkpoint cannot be read", async () => {
    const account = await makeAccount(database, { quota: 1_000_000n });
    const ledger = await openNode();
    await warmUp(ledger, account);
    const reserved = reservation(account, 100n);
    await ledger.reserve(reserved);
    await ledger.checkpoint([soFar(reserved, 10n, new Date())]);
    await database.db.reservation.update({
      where: { request_id: reserved.requestId },
      data: { node_id: "a-node-that-died", checkpoint: { of: "another version" } },
    });
    await openNode(takeover);
    await expect.poll(() => reservationOf(reserved)).toBeNull();
    expect(await userOf(account)).toMatchObject({ quota: 1_000_000n, reserved: 0n });
    expect(String(errors.splice(0)[0])).toContain("cannot be read");
  });

  it("is charged no more than the balance of its account", async () => {
    const account = await makeAccount(database, { quota: 120n });
    const ledger = await openNode();
    const reserved = reservation(account, 100n);
    await ledger.reserve(reserved);
    await ledger.checkpoint([soFar(reserved, 5_000n, new Date())]);
    await abandon(reserved);
    await openNode(takeover);
    await expect.poll(() => reservationOf(reserved)).toBeNull();
    expect(await userOf(account)).toMatchObject({ quota: 0n, reserved: 0n, used_quota: 120n });
  });
});
