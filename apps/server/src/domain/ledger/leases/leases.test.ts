import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Account, callOf, makeAccount, reservation } from "#domain/ledger/accounts.fixture.ts";
import { audit } from "#domain/ledger/balances/audit.ts";
import { credit } from "#domain/ledger/balances/credit.ts";
import { expireBalances } from "#domain/ledger/balances/expire-balances.ts";
import type { ReserveInput } from "#domain/ledger/batches/operations.ts";
import { bookCharges } from "#domain/ledger/bookings/book-charges.ts";
import { createLedger, type Ledger, type LedgerOptions } from "#domain/ledger/ledger.ts";
import { type Announcements, announce, listen } from "#platform/announcements.ts";
import type { Database } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";
import { recallLeases } from "./recall-leases.ts";

/** Leases: calls that begin without a statement, and protection from overspending. */
let database: Database;
const opened: { ledger: Ledger; announcements: Announcements }[] = [];
let batches = 0;
const errors: unknown[] = [];

beforeAll(async () => {
  database = await openTestDatabase({ max: 12 });
});
afterEach(async () => {
  for (const { ledger, announcements } of opened.splice(0)) {
    await ledger.close();
    await announcements.close();
  }
  expect(await audit(database.pool)).toMatchObject({ drift: 0n, rows: [] });
  expect(await database.db.reservation.count()).toBe(0);
  expect(errors.splice(0)).toEqual([]);
});
afterAll(async () => {
  await database.close();
});

async function openNode(over: Partial<LedgerOptions> = {}): Promise<Ledger> {
  const onError = (error: unknown) => void errors.push(error);
  const ledger = createLedger({
    database,
    nodeId: randomUUID(),
    onError,
    onBatch: () => (batches += 1),
    askForLeases: (userId) => announce(database.db, "leases", userId),
    ...over,
  });
  const announcements = await listen(database.url, onError);
  announcements.on("leases", (id) => ledger.recall(id === 0 ? "all" : { userId: id }));
  await ledger.start();
  opened.push({ ledger, announcements });
  return ledger;
}

async function call(ledger: Ledger, reserved: ReserveInput, cost: bigint) {
  await ledger.reserve(reserved);
  return ledger.settle(callOf(reserved, cost));
}

/** Makes enough calls for the next one to get a lease. */
async function warmUp(ledger: Ledger, account: Account, amount = 10n, tokenAmount = 0n): Promise<void> {
  for (let calls = 0; calls < 5; calls += 1)
    await call(ledger, reservation(account, amount, tokenAmount), 0n);
}

async function userOf({ userId }: Account) {
  await bookCharges(database.db, userId);
  return database.db.user.findUniqueOrThrow({ where: { id: userId } });
}

async function tokenOf({ userId, tokenId }: Account) {
  await bookCharges(database.db, userId);
  return database.db.token.findUniqueOrThrow({ where: { id: tokenId } });
}

const leasesOf = ({ userId }: Account) =>
  database.db.reservation.findMany({ where: { user_id: userId, version: { gt: 0 } } });

describe("lease", () => {
  it("serves calls of a busy key with one batch each, and is returned when the key is idle", async () => {
    const account = await makeAccount(database, { quota: 1_000_000n });
    const ledger = await openNode({ leaseIdleMs: 2_000 });
    await warmUp(ledger, account);
    batches = 0;
    for (let calls = 0; calls < 20; calls += 1)
      expect(await call(ledger, reservation(account, 10n), 7n)).toBe("settled");
    expect(batches).toBe(20);
    expect(await userOf(account)).toMatchObject({ quota: 1_000_000n - 140n, used_quota: 140n });
    const [lease] = await leasesOf(account);
    expect(await userOf(account)).toMatchObject({ reserved: 0n, leased: lease?.amount });
    await expect.poll(async () => (await userOf(account)).leased).toBe(0n);
    expect(await leasesOf(account)).toEqual([]);
  });

  it("needs no statement before the provider is called, and the call is still charged once", async () => {
    const account = await makeAccount(database, { quota: 1_000_000n });
    const ledger = await openNode();
    await warmUp(ledger, account);
    const reserved = reservation(account, 10n);
    batches = 0;
    await ledger.reserve(reserved);
    expect(batches).toBe(0);
    expect(await database.db.reservation.count({ where: { request_id: reserved.requestId } })).toBe(0);
    const record = callOf(reserved, 8n);
    const answers = await Promise.all([ledger.settle(record), ledger.settle(record), ledger.settle(record)]);
    expect(answers.sort()).toEqual(["gone", "gone", "settled"]);
    expect(await ledger.settle(record)).toBe("gone");
    expect(await userOf(account)).toMatchObject({ quota: 999_992n, used_quota: 8n });
  });

  it("charges a call with web searches, which are counted", async () => {
    const account = await makeAccount(database, { quota: 1_000_000n });
    const ledger = await openNode();
    await warmUp(ledger, account);
    const reserved = reservation(account, 10n);
    await ledger.reserve(reserved);
    expect(await database.db.reservation.count({ where: { request_id: reserved.requestId } })).toBe(0);
    const lines = [{ kind: "tool:gateway-search", amount: 2, ratio: "4" }];
    const bill = { price_type: "tokens", group_ratio: "1", lines, exact: "8" };
    expect(await ledger.settle(callOf(reserved, 8n, { bill }))).toBe("settled");
    expect(await database.db.searchHour.findMany({ where: { user_id: account.userId } })).toMatchObject([
      { search_count: 2n, quota: 8n },
    ]);
    expect(await userOf(account)).toMatchObject({ quota: 999_992n, used_quota: 8n });
    // The lease is still there, and serves the next call.
    expect(await leasesOf(account)).toHaveLength(1);
    expect(await call(ledger, reservation(account, 10n), 1n)).toBe("settled");
  });

  it("is not given to an account with few points, or to a key with exact limits", async () => {
    const few = await makeAccount(database, { quota: 200n });
    const limited = [
      await makeAccount(database, { quota: 1_000_000n, rates: { concurrency: 5 } }),
      await makeAccount(database, { quota: 1_000_000n, rates: { daily_spend: 1_000 } }),
      await makeAccount(database, { quota: 1_000_000n, rates: { monthly_spend: 1_000 } }),
      await makeAccount(database, { quota: 1_000_000n, tokenQuota: 100n }),
    ];
    const ledger = await openNode();
    for (const account of [few, ...limited]) {
      await warmUp(ledger, account, 20n, account === limited[3] ? 20n : 0n);
      const reserved = reservation(account, 20n, account === limited[3] ? 20n : 0n);
      await ledger.reserve(reserved);
      expect(await leasesOf(account)).toEqual([]);
      expect((await userOf(account)).reserved).toBe(20n);
      await ledger.settle(callOf(reserved, 1n));
    }
  });

  it("counts against the token's own quota", async () => {
    const account = await makeAccount(database, { quota: 1_000_000n, tokenQuota: 5_000n });
    const ledger = await openNode();
    await warmUp(ledger, account, 10n, 10n);
    const [lease] = await leasesOf(account);
    expect(lease?.amount).toBeGreaterThan(0n);
    expect((await tokenOf(account)).leased).toBe(lease?.amount);
    let charged = 0n;
    const outcomes = await Promise.allSettled(
      Array.from({ length: 600 }, async () => {
        await call(ledger, reservation(account, 10n, 10n), 10n);
        charged += 10n;
      }),
    );
    const refused = outcomes.filter((outcome) => outcome.status === "rejected");
    expect(refused).toHaveLength(100);
    for (const { reason } of refused) expect(reason).toMatchObject({ code: "token_quota_exhausted" });
    expect(charged).toBe(5_000n);
    expect(await tokenOf(account)).toMatchObject({ remain_quota: 0n, used_quota: 5_000n });
  });

  it("covers a cost above the estimate from its own points and from free points", async () => {
    const account = await makeAccount(database, { quota: 10_000n });
    const ledger = await openNode();
    await warmUp(ledger, account);
    for (const cost of [11n, 40n, 500n, 5_000n]) await call(ledger, reservation(account, 10n), cost);
    expect(await userOf(account)).toMatchObject({ quota: 4_449n, used_quota: 5_551n });
    const reservedCall = reservation(account, 10n);
    await ledger.reserve(reservedCall);
    expect(await ledger.settle(callOf(reservedCall, 1_000_000n))).toBe("settled");
    const { quota, reserved, leased } = await userOf(account);
    expect(quota).toBeGreaterThanOrEqual(0n);
    expect(quota - reserved - leased).toBe(0n);
    const { rows } = await database.pool.query<{ sum: bigint }>(
      "SELECT (quota + (bill ->> 'uncollected')::bigint) AS sum FROM request_logs WHERE request_id = $1",
      [reservedCall.requestId],
    );
    expect(rows[0]?.sum).toBe(1_000_000n);
  });

  it("covers a raised call, and releases a call that it does not cover", async () => {
    const account = await makeAccount(database, { quota: 10_000n });
    const ledger = await openNode();
    await warmUp(ledger, account, 100n);
    const reserved = reservation(account, 10n);
    await ledger.reserve(reserved);
    batches = 0;
    await ledger.raise({ ...reserved, amount: 30n });
    expect(batches).toBe(0);
    await ledger.raise({ ...reserved, amount: 5_000n });
    expect(await database.db.reservation.count({ where: { request_id: reserved.requestId } })).toBe(1);
    expect(await ledger.settle(callOf(reserved, 4_000n))).toBe("settled");
    expect(await userOf(account)).toMatchObject({ quota: 6_000n });
    const again = reservation(account, 10n);
    await ledger.reserve(again);
    await expect(ledger.raise({ ...again, amount: 100_000n })).rejects.toMatchObject({
      code: "insufficient_quota",
    });
    expect(await ledger.settle(callOf(again, 5n))).toBe("gone");
  });

  it("is not used by a call that needs a reservation of its own", async () => {
    const account = await makeAccount(database, { quota: 10_000n });
    const ledger = await openNode();
    await warmUp(ledger, account);
    const reserved = { ...reservation(account, 10n), own: true };
    await ledger.reserve(reserved);
    expect(await database.db.reservation.count({ where: { request_id: reserved.requestId } })).toBe(1);
    await ledger.settle(callOf(reserved, 1n));
  });
});

describe("several nodes", () => {
  it("grant exactly 20 of 300 calls when the balance covers 20", async () => {
    const account = await makeAccount(database, { quota: 200n });
    const nodes = [await openNode(), await openNode(), await openNode()];
    for (const node of nodes) await warmUp(node, account, 1n);
    expect(await served(nodes, account, 300)).toBe(20);
    expect(await userOf(account)).toMatchObject({ quota: 0n, used_quota: 200n });
  });

  it("refuse no call that the balance covers while other nodes have leases", async () => {
    const account = await makeAccount(database, { quota: 10_000n });
    const nodes = [await openNode(), await openNode(), await openNode()];
    for (const node of nodes) await warmUp(node, account);
    expect(await leasesOf(account)).toHaveLength(3);
    expect(await served(nodes, account, 1_200)).toBe(1_000);
    expect(await userOf(account)).toMatchObject({ quota: 0n, used_quota: 10_000n });
  });

  it("return leases for one call that needs the whole balance", async () => {
    const account = await makeAccount(database, { quota: 10_000n });
    // A lease that is not recalled stays for an hour.
    const idle = { leaseIdleMs: 3_600_000 };
    const nodes = [await openNode(idle), await openNode(idle), await openNode(idle)];
    for (const node of nodes) await warmUp(node, account);
    expect(await call(nodes[0]!, reservation(account, 10_000n), 10_000n)).toBe("settled");
    await expect(nodes[1]!.reserve(reservation(account, 1n))).rejects.toMatchObject({
      code: "insufficient_quota",
    });
  });

  it("release the leases of a dead node, which cannot spend them afterwards", async () => {
    const account = await makeAccount(database, { quota: 10_000n });
    const pace = { beatMs: 50, silentAfterMs: 4_000 };
    const survivor = await openNode(pace);
    // It sends one heartbeat: it counts as dead after 4 s, and uses its leases for 2.4 s.
    const paused = await openNode({ beatMs: 3_600_000, silentAfterMs: 4_000 });
    await warmUp(paused, account);
    const reserved = reservation(account, 10n);
    await paused.reserve(reserved);
    expect(await leasesOf(account)).toHaveLength(1);
    await expect.poll(() => leasesOf(account), { timeout: 30_000 }).toEqual([]);
    // Its lease is gone. Its open call is not charged; a new call gets a row of its own.
    expect(await paused.settle(callOf(reserved, 10n))).toBe("gone");
    const next = reservation(account, 10n);
    await paused.reserve(next);
    // The survivor looks for silent nodes many times meanwhile.
    await sleep(500);
    expect(await database.db.reservation.count({ where: { request_id: next.requestId } })).toBe(1);
    expect(await paused.settle(callOf(next, 10n))).toBe("settled");
    expect(await call(survivor, reservation(account, 10n), 10n)).toBe("settled");
    expect(await userOf(account)).toMatchObject({ quota: 9_980n });
  });
});

describe("recall", () => {
  it("precedes a deduction, which then finds all points that calls do not need", async () => {
    const account = await makeAccount(database, { quota: 10_000n });
    const nodes = [await openNode(), await openNode()];
    for (const node of nodes) await warmUp(node, account);
    const open = reservation(account, 10n);
    await nodes[0]!.reserve(open);
    expect((await userOf(account)).leased).toBeGreaterThan(10n);
    await recallLeases(database.db, account.userId);
    expect((await userOf(account)).leased).toBe(10n);
    const deduct = (amount: bigint) =>
      credit(database.db, {
        userId: account.userId,
        kind: "admin",
        amount: -amount,
        reference: randomUUID(),
        reason: "",
      });
    await expect(deduct(9_991n)).rejects.toMatchObject({ code: "invalid_request" });
    expect(await deduct(9_990n)).toBe(10n);
    expect(await nodes[0]!.settle(callOf(open, 10n))).toBe("settled");
    expect(await userOf(account)).toMatchObject({ quota: 0n, leased: 0n });
  });

  it("precedes the expiry of a balance, which leaves the points of open calls", async () => {
    const account = await makeAccount(database, { quota: 10_000n });
    const node = await openNode();
    await warmUp(node, account);
    const { quota } = await userOf(account);
    const open = reservation(account, 10n);
    await node.reserve(open);
    const yesterday = new Date(Date.now() - 86_400_000);
    await database.db.user.update({ where: { id: account.userId }, data: { quota_expires_at: yesterday } });
    expect(await expireBalances(database)).toEqual([{ userId: account.userId, points: quota - 10n }]);
    expect(await node.settle(callOf(open, 10n))).toBe("settled");
    expect(await userOf(account)).toMatchObject({ quota: 0n, leased: 0n });
  });

  it("ends the leases of a disabled account or key, and open calls are charged", async () => {
    for (const disable of ["user", "token"] as const) {
      const account = await makeAccount(database, { quota: 10_000n });
      const ledger = await openNode();
      await warmUp(ledger, account);
      const open = reservation(account, 10n);
      await ledger.reserve(open);
      if (disable === "user")
        await database.db.user.update({ where: { id: account.userId }, data: { status: 2 } });
      else await database.db.token.update({ where: { id: account.tokenId }, data: { status: 2 } });
      await ledger.recall(disable === "user" ? { userId: account.userId } : { tokenId: account.tokenId });
      await expect(ledger.reserve(reservation(account, 10n))).rejects.toMatchObject({
        code: disable === "user" ? "user_disabled" : "invalid_api_key",
      });
      expect(await ledger.settle(callOf(open, 10n))).toBe("settled");
      expect(await userOf(account)).toMatchObject({ quota: 9_990n, leased: 0n });
    }
  });

  it("is not needed for a disabled account: the next settlement retires the lease", async () => {
    const account = await makeAccount(database, { quota: 10_000n });
    const ledger = await openNode();
    await warmUp(ledger, account);
    await database.db.user.update({ where: { id: account.userId }, data: { status: 2 } });
    expect(await call(ledger, reservation(account, 10n), 10n)).toBe("settled");
    await expect(ledger.reserve(reservation(account, 10n))).rejects.toMatchObject({ code: "user_disabled" });
  });

  it("loses no point under load", async () => {
    const account = await makeAccount(database, { quota: 1_000_000n });
    const nodes = [await openNode(), await openNode()];
    let charged = 0n;
    const clients = Array.from({ length: 24 }, async (_, at) => {
      for (let calls = 0; calls < 40; calls += 1) {
        expect(await call(nodes[at % 2]!, reservation(account, 10n), 7n)).toBe("settled");
        charged += 7n;
      }
    });
    const state = { isOver: false };
    const recalls = (async () => {
      while (!state.isOver) {
        await announce(database.db, "leases", account.userId);
        await sleep(30);
      }
    })();
    await Promise.all(clients);
    state.isOver = true;
    await recalls;
    expect(await userOf(account)).toMatchObject({ quota: 1_000_000n - charged, used_quota: charged });
  });
});

/** Returns how many of these concurrent calls of 10 points each are served. */
async function served(nodes: Ledger[], account: Account, calls: number): Promise<number> {
  const outcomes = await Promise.allSettled(
    Array.from({ length: calls }, async (_, at) => {
      const reserved = reservation(account, 10n);
      await nodes[at % nodes.length]!.reserve(reserved);
      await sleep(Math.random() * 20);
      expect(await nodes[at % nodes.length]!.settle(callOf(reserved, 10n))).toBe("settled");
    }),
  );
  for (const outcome of outcomes)
    if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "insufficient_quota" });
  return outcomes.filter((outcome) => outcome.status === "fulfilled").length;
}
