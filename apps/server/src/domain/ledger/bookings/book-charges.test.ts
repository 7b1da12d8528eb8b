import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Account, callOf, makeAccount, reservation } from "#domain/ledger/accounts.fixture.ts";
import { audit } from "#domain/ledger/balances/audit.ts";
import { credit } from "#domain/ledger/balances/credit.ts";
import { releaseStatement } from "#domain/ledger/calls/node-heartbeat.ts";
import { createLedger, type Ledger, type LedgerOptions } from "#domain/ledger/ledger.ts";
import type { Database } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";
import { bookCharges, mergeHourRows } from "./book-charges.ts";

let database: Database;
const ledgers: Ledger[] = [];
const errors: unknown[] = [];

beforeAll(async () => {
  database = await openTestDatabase({ max: 8 });
});
afterEach(async () => {
  await Promise.all(ledgers.splice(0).map((ledger) => ledger.close()));
  expect(await audit(database.pool)).toMatchObject({ drift: 0n, rows: [] });
  expect(errors.splice(0)).toEqual([]);
});
afterAll(async () => {
  await database.close();
});

async function openNode(over: Partial<LedgerOptions> = {}): Promise<Ledger> {
  const onError = (error: unknown) => void errors.push(error);
  const ledger = createLedger({ database, nodeId: randomUUID(), onError, leaseIdleMs: 60_000, ...over });
  await ledger.start();
  ledgers.push(ledger);
  return ledger;
}

async function call(ledger: Ledger, account: Account, cost: bigint, tokenAmount = 0n): Promise<void> {
  const reserved = reservation(account, 10n, tokenAmount);
  await ledger.reserve(reserved);
  expect(await ledger.settle(callOf(reserved, cost))).toBe("settled");
}

/** Makes enough calls for the next ones to be in a lease. */
async function warmUp(ledger: Ledger, account: Account, tokenAmount = 0n): Promise<void> {
  for (let calls = 0; calls < 5; calls += 1) await call(ledger, account, 0n, tokenAmount);
  await bookCharges(database.db, account.userId);
}

const userOf = ({ userId }: Account) => database.db.user.findUniqueOrThrow({ where: { id: userId } });
const tokenOf = ({ tokenId }: Account) => database.db.token.findUniqueOrThrow({ where: { id: tokenId } });
const unbooked = ({ userId }: Account) =>
  database.db.reservation.aggregate({ where: { user_id: userId }, _sum: { charged: true, ended: true } });

/** Runs `work` while another transaction has these rows locked. */
async function withLock(sql: string, work: () => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query("BEGIN");
    await client.query(sql);
    await work();
  } finally {
    await client.end();
  }
}

describe("charges of calls in leases", () => {
  it("are booked once a second", async () => {
    const account = await makeAccount(database, { quota: 1_000_000n });
    const ledger = await openNode();
    await warmUp(ledger, account);
    const before = await userOf(account);
    await call(ledger, account, 4n);
    await expect
      .poll(() => userOf(account), { timeout: 10_000 })
      .toMatchObject({
        quota: 999_996n,
        used_quota: 4n,
        day_quota: 4n,
        request_count: before.request_count + 1n,
      });
    expect(await tokenOf(account)).toMatchObject({ used_quota: 4n, month_quota: 4n });
    expect(await unbooked(account)).toMatchObject({ _sum: { charged: 0n, ended: 0 } });
  });

  it("are booked before they are read, and the free points stay the same", async () => {
    const account = await makeAccount(database, { quota: 1_000_000n, tokenQuota: 5_000n });
    const ledger = await openNode();
    await warmUp(ledger, account, 10n);
    const freeOf = async () => {
      const { quota, reserved, leased } = await userOf(account);
      const token = await tokenOf(account);
      return [quota - reserved - leased, token.remain_quota - token.reserved - token.leased];
    };
    const free = await freeOf();
    for (const cost of [3n, 5n]) await call(ledger, account, cost, 10n);
    expect(await freeOf()).toEqual(free);
    await Promise.all([bookCharges(database.db, account.userId), bookCharges(database.db)]);
    expect(await freeOf()).toEqual(free);
    expect(await userOf(account)).toMatchObject({ quota: 999_992n, used_quota: 8n });
    expect(await tokenOf(account)).toMatchObject({ remain_quota: 4_992n, used_quota: 8n });
  });

  it("do not wait for the row of the account or the key", async () => {
    const account = await makeAccount(database, { quota: 1_000_000n });
    const ledger = await openNode({ lockMs: 5_000 });
    await warmUp(ledger, account);
    const lock = `SELECT FROM users u JOIN tokens t ON t.user_id = u.id WHERE u.id = ${account.userId} FOR UPDATE`;
    await withLock(lock, async () => {
      // The lock ends after these calls: one that waited for it would never end.
      for (let calls = 0; calls < 5; calls += 1) await call(ledger, account, 1n);
      await Promise.all(Array.from({ length: 5 }, () => call(ledger, account, 1n)));
      // It does not wait for the account either, longer than a moment.
      await bookCharges(database.db, account.userId);
      expect(await userOf(account)).toMatchObject({ used_quota: 0n });
    });
    await bookCharges(database.db, account.userId);
    expect(await userOf(account)).toMatchObject({ used_quota: 10n });
  });

  it("are booked when another node releases the lease of a node that failed", async () => {
    const account = await makeAccount(database, { quota: 1_000_000n, tokenQuota: 5_000n });
    const ledger = await openNode();
    await warmUp(ledger, account, 10n);
    await call(ledger, account, 7n, 10n);
    const leases = await database.db.reservation.findMany({ where: { user_id: account.userId } });
    await database.pool.query(releaseStatement.text, [
      leases.map((lease) => lease.request_id),
      [account.userId],
      [account.tokenId],
    ]);
    expect(await userOf(account)).toMatchObject({ quota: 999_993n, leased: 0n, used_quota: 7n });
    expect(await tokenOf(account)).toMatchObject({ remain_quota: 4_993n, leased: 0n, used_quota: 7n });
    const reserved = reservation(account, 10n, 10n);
    await ledger.reserve(reserved);
    expect(await ledger.settle(callOf(reserved, 5n))).toBe("gone");
  });

  it("are a part of the balance that a credit returns, and of what a deduction leaves", async () => {
    const account = await makeAccount(database, { quota: 1_000_000n });
    const ledger = await openNode();
    await warmUp(ledger, account);
    await call(ledger, account, 6n);
    const entry = { userId: account.userId, kind: "admin", reason: "test" } as const;
    expect(await credit(database.db, { ...entry, amount: 10n, reference: randomUUID() })).toBe(1_000_004n);
    await call(ledger, account, 6n);
    expect(await credit(database.db, { ...entry, amount: -10n, reference: randomUUID() })).toBe(999_988n);
    const all = { ...entry, amount: -999_988n, reference: randomUUID() };
    await expect(credit(database.db, all)).rejects.toThrow();
  });

  it("count once while nodes charge, book, release and read at the same time", async () => {
    const account = await makeAccount(database, { quota: 10_000_000n });
    const nodes = await Promise.all([openNode(), openNode(), openNode()]);
    await Promise.all(nodes.map((ledger) => warmUp(ledger, account)));
    const state = { isOver: false };
    const booking = (async () => {
      while (!state.isOver) {
        await bookCharges(database.db, account.userId);
        expect(await audit(database.pool)).toMatchObject({ drift: 0n });
      }
    })();
    const recalls = (async () => {
      for (let at = 0; !state.isOver; at += 1) {
        await nodes[at % 3]?.recall({ userId: account.userId });
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    })();
    await Promise.all(
      Array.from({ length: 30 }, async (_, at) => {
        const ledger = nodes[at % 3];
        if (ledger === undefined) return;
        for (let calls = 0; calls < 40; calls += 1) await call(ledger, account, 3n);
      }),
    );
    state.isOver = true;
    await Promise.all([booking, recalls]);
    await bookCharges(database.db, account.userId);
    expect(await userOf(account)).toMatchObject({
      used_quota: 3_600n,
      quota: 9_996_400n,
      request_count: 1_215n,
    });
  });
});

describe("nodes that charge one account", () => {
  it("write different rows of the roll-up, whose sum is exact", async () => {
    const account = await makeAccount(database, { quota: 1_000_000n });
    const nodes = await Promise.all([openNode(), openNode()]);
    for (const ledger of nodes) {
      await warmUp(ledger, account);
      await call(ledger, account, 4n);
    }
    const rows = await database.db.usageHour.findMany({ where: { user_id: account.userId } });
    const parts = new Set(rows.map((row) => row.part));
    expect(parts.size).toBe(2);
    expect(rows.reduce((sum, row) => sum + row.quota, 0n)).toBe(8n);
  });

  it("leave one row of an hour that is over, with the same sums", async () => {
    const account = await makeAccount(database, { quota: 1_000_000n });
    const createdAt = new Date(Date.now() - 3 * 3_600_000);
    const alone = await makeAccount(database, { quota: 1_000_000n });
    for (const ledger of await Promise.all([openNode(), openNode(), openNode()])) {
      const reserved = reservation(account, 10n);
      await ledger.reserve(reserved);
      await ledger.settle(callOf(reserved, 3n, { createdAt }));
    }
    const reserved = reservation(alone, 10n);
    await ledgers[0]?.reserve(reserved);
    await ledgers[0]?.settle(callOf(reserved, 3n, { createdAt }));
    const rowsOf = ({ userId }: Account) => database.db.usageHour.findMany({ where: { user_id: userId } });
    const [before, untouched] = [await rowsOf(account), await rowsOf(alone)];
    expect(before).toHaveLength(3);
    const since = new Date(createdAt.getTime() - 3_600_000);
    await mergeHourRows(database.pool, { since: new Date(), until: new Date(Date.now() + 3_600_000) });
    expect(await rowsOf(account)).toHaveLength(3);
    for (let runs = 0; runs < 2; runs += 1)
      await mergeHourRows(database.pool, { since, until: new Date(Date.now() - 3_600_000) });
    const part = Math.min(...before.map((row) => row.part));
    const sums = { request_count: 3n, quota: 9n, request_time: 360n, first_byte_time: 120n, part };
    const [after] = await rowsOf(account);
    expect(after).toMatchObject({ ...sums, prompt_tokens: (before[0]?.prompt_tokens ?? 0n) * 3n });
    expect(await rowsOf(account)).toHaveLength(1);
    expect(await rowsOf(alone)).toEqual(untouched);
  });
});
