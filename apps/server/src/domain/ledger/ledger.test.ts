import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect, type Database } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";
import { type Account, callOf, makeAccount, reservation } from "./accounts.fixture.ts";
import { audit } from "./balances/audit.ts";
import { credit } from "./balances/credit.ts";
import { createLedger, type Ledger } from "./ledger.ts";

let database: Database;
let ledger: Ledger;
const errors: unknown[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
  ledger = createLedger({
    database,
    nodeId: randomUUID(),
    onError: (error) => errors.push(error),
  });
  await ledger.start();
});

afterAll(async () => {
  await ledger.close();
  const { rows } = await database.pool.query("SELECT FROM reservations");
  expect(rows).toHaveLength(0);
  expect(await audit(database.pool)).toMatchObject({ drift: 0n, rows: [] });
  expect(errors).toEqual([]);
  await database.close();
});

async function userOf({ userId }: Account) {
  const { quota, reserved, used_quota, request_count } = await database.db.user.findUniqueOrThrow({
    where: { id: userId },
  });
  return { quota, reserved, used_quota, request_count };
}

async function tokenOf({ tokenId }: Account) {
  const { remain_quota, reserved, used_quota } = await database.db.token.findUniqueOrThrow({
    where: { id: tokenId },
  });
  return { remain_quota, reserved, used_quota };
}

async function logsOf(requestId: string) {
  const { rows } = await database.pool.query("SELECT * FROM request_logs WHERE request_id = $1", [requestId]);
  return rows;
}

describe("call", () => {
  it("reserves its estimate, then is charged for what it used", async () => {
    const account = await makeAccount(database, { quota: 1000n, tokenQuota: 500n });
    const reserved = reservation(account, 300n, 300n);
    await ledger.reserve(reserved);
    expect(await userOf(account)).toMatchObject({ quota: 1000n, reserved: 300n });
    expect(await tokenOf(account)).toMatchObject({ remain_quota: 500n, reserved: 300n });

    expect(await ledger.settle(callOf(reserved, 120n))).toBe("settled");
    expect(await userOf(account)).toEqual({
      quota: 880n,
      reserved: 0n,
      used_quota: 120n,
      request_count: 1n,
    });
    expect(await tokenOf(account)).toEqual({ remain_quota: 380n, reserved: 0n, used_quota: 120n });
  });

  it("writes one log row and is counted in its hour", async () => {
    const account = await makeAccount(database, { quota: 1000n });
    const reserved = reservation(account, 300n);
    await ledger.reserve(reserved);
    const createdAt = new Date("2026-11-21T10:59:59.999Z");
    const bill = { price_type: "tokens", group_ratio: "1", lines: [], exact: "12" };
    const attempts = [
      { channel_id: 1, channel_name: "a\0b", result: "ok", status: 200, duration: 7, message: "\ud800" },
    ];
    await ledger.settle(
      callOf(reserved, 12n, { createdAt, bill, attempts, content: "nul \0 and half \udfff" }),
    );
    const [row, ...more] = await logsOf(reserved.requestId);
    expect(more).toEqual([]);
    expect(row).toMatchObject({
      created_at: createdAt,
      type: 2,
      user_id: account.userId,
      token_id: account.tokenId,
      group: "default",
      prompt_tokens: 10n,
      completion_tokens: 20n,
      quota: 12n,
      bill,
      content: "nul  and half \ufffd",
    });
    const { rows } = await database.pool.query("SELECT * FROM usage_hours WHERE user_id = $1", [
      account.userId,
    ]);
    expect(rows).toMatchObject([
      {
        hour: new Date("2026-11-21T10:00:00Z"),
        request_count: 1n,
        failed_count: 0n,
        quota: 12n,
        cached_tokens: 5n,
        request_time: 120n,
        first_byte_time: 40n,
      },
    ]);
  });

  it("is counted with the web searches of the gateway and their part of the charge", async () => {
    const account = await makeAccount(database, { quota: 1000n });
    const lines = [
      { kind: "input", amount: 10, ratio: "1" },
      { kind: "tool:gateway-search", amount: 3, ratio: "20.5" },
    ];
    const bill = { price_type: "tokens", group_ratio: "1.5", lines, exact: "107.25" };
    const settle = async (quota: bigint, more: object = {}) => {
      const reserved = reservation(account, 100n);
      await ledger.reserve(reserved);
      const createdAt = new Date("2026-11-21T10:59:59.999Z");
      await ledger.settle(callOf(reserved, quota, { createdAt, bill, ...more }));
    };
    // 3 × 20.5 × 1.5 = 92.25
    await settle(108n);
    await settle(20n, { bill: { ...bill, uncollected: "88" } });
    await settle(7n, { bill: { ...bill, lines: lines.slice(0, 1) } });
    const { rows } = await database.pool.query("SELECT * FROM search_hours WHERE user_id = $1", [
      account.userId,
    ]);
    expect(rows).toEqual([
      {
        hour: new Date("2026-11-21T10:00:00Z"),
        user_id: account.userId,
        token_id: account.tokenId,
        channel_id: 1,
        model: "demo-chat",
        group: "default",
        search_count: 6n,
        quota: 93n + 20n,
      },
    ]);
  });

  it("is charged once when it is settled several times", async () => {
    const account = await makeAccount(database, { quota: 1000n });
    const reserved = reservation(account, 100n);
    await ledger.reserve(reserved);
    const record = callOf(reserved, 100n);
    const answers = await Promise.all([ledger.settle(record), ledger.settle(record), ledger.settle(record)]);
    expect(answers.sort()).toEqual(["gone", "gone", "settled"]);
    expect(await ledger.settle(record)).toBe("gone");
    expect(await userOf(account)).toMatchObject({ quota: 900n, reserved: 0n, used_quota: 100n });
    expect(await logsOf(reserved.requestId)).toHaveLength(1);
  });

  it("costs nothing when it failed, and is logged as failed", async () => {
    const account = await makeAccount(database, { quota: 1000n, tokenQuota: 200n });
    const reserved = reservation(account, 100n, 100n);
    await ledger.reserve(reserved);
    const failed = callOf(reserved, 0n, { type: 5, outcome: "failed", status: 502, usage: undefined });
    expect(await ledger.settle(failed)).toBe("settled");
    expect(await userOf(account)).toEqual({ quota: 1000n, reserved: 0n, used_quota: 0n, request_count: 0n });
    expect(await tokenOf(account)).toMatchObject({ remain_quota: 200n, reserved: 0n });
    expect(await logsOf(reserved.requestId)).toMatchObject([{ type: 5, status: 502, quota: 0n }]);
    const { rows } = await database.pool.query("SELECT * FROM usage_hours WHERE user_id = $1", [
      account.userId,
    ]);
    expect(rows).toMatchObject([{ request_count: 0n, failed_count: 1n }]);
  });

  it("is charged beyond its reservation up to the balance, and the log row states the rest", async () => {
    const account = await makeAccount(database, { quota: 120n });
    const [reserved, other] = [reservation(account, 90n), reservation(account, 20n)];
    await ledger.reserve(reserved);
    await ledger.reserve(other);
    const bill = { price_type: "tokens", group_ratio: "1", lines: [], exact: "130" };
    await ledger.settle(callOf(reserved, 130n, { bill }));
    // 10 points were free; the other call keeps its reservation.
    expect(await userOf(account)).toMatchObject({ quota: 20n, reserved: 20n, used_quota: 100n });
    expect(await logsOf(reserved.requestId)).toMatchObject([{ quota: 100n, bill: { uncollected: "30" } }]);
    await expect(ledger.reserve(reservation(account, 1n))).rejects.toMatchObject({
      code: "insufficient_quota",
    });
    await ledger.settle(callOf(other, 20n, { bill }));
    expect(await userOf(account)).toMatchObject({ quota: 0n, reserved: 0n });
    expect(await logsOf(other.requestId)).toMatchObject([{ quota: 20n, bill }]);
  });

  it("is charged in full beyond the limits of its key, which the owner of the account sets", async () => {
    const limited = await makeAccount(database, { quota: 1_000n, tokenQuota: 100n });
    const [reserved, other] = [reservation(limited, 60n, 60n), reservation(limited, 40n, 40n)];
    await ledger.reserve(reserved);
    await ledger.reserve(other);
    await ledger.settle(callOf(reserved, 500n));
    await ledger.settle(callOf(other, 40n));
    expect(await userOf(limited)).toMatchObject({ quota: 460n, reserved: 0n });
    expect(await tokenOf(limited)).toEqual({ remain_quota: -440n, reserved: 0n, used_quota: 540n });
    expect(await logsOf(reserved.requestId)).toMatchObject([{ quota: 500n, bill: null }]);
    await expect(ledger.reserve(reservation(limited, 1n, 1n))).rejects.toMatchObject({
      code: "token_quota_exhausted",
    });
    const daily = await makeAccount(database, { quota: 1_000n, rates: { daily_spend: 70 } });
    const call = reservation(daily, 60n);
    await ledger.reserve(call);
    await ledger.settle(callOf(call, 500n));
    expect(await userOf(daily)).toMatchObject({ quota: 500n });
    await expect(ledger.reserve(reservation(daily, 1n))).rejects.toMatchObject({
      code: "spend_limit_reached",
    });
  });

  it("pays what it reserved when the limit of its key is lowered meanwhile", async () => {
    const account = await makeAccount(database, { quota: 1_000n });
    const reserved = reservation(account, 300n);
    await ledger.reserve(reserved);
    await database.db.token.update({
      where: { id: account.tokenId },
      data: { unlimited_quota: false, remain_quota: 1n },
    });
    await ledger.settle(callOf(reserved, 300n));
    expect(await userOf(account)).toMatchObject({ quota: 700n });
  });

  it("ignores the limits of its key when it was reserved in part", async () => {
    const account = await makeAccount(database, { quota: 1_000n, tokenQuota: 5n });
    const reserved = reservation(account, 1n, 1n);
    await ledger.reserve(reserved);
    await ledger.settle(callOf(reserved, 300n, { partlyReserved: true }));
    expect(await userOf(account)).toMatchObject({ quota: 700n });
  });

  it("needs no balance when it is free", async () => {
    const account = await makeAccount(database, { tokenQuota: 0n });
    const reserved = reservation(account, 0n, 0n);
    await ledger.reserve(reserved);
    expect(await ledger.settle(callOf(reserved, 0n))).toBe("settled");
    expect(await userOf(account)).toMatchObject({ quota: 0n, request_count: 1n });
  });

  it("is logged and counted as failed when it was never reserved", async () => {
    const account = await makeAccount(database);
    const record = callOf(reservation(account, 1n), 0n, { type: 5, outcome: "failed", status: 402 });
    await ledger.logRefused(record);
    expect(await logsOf(record.requestId)).toMatchObject([{ type: 5, status: 402 }]);
    expect(await userOf(account)).toMatchObject({ request_count: 0n });
  });

  it("cannot be settled by a call of another user", async () => {
    const account = await makeAccount(database, { quota: 100n });
    const other = await makeAccount(database, { quota: 100n });
    const reserved = reservation(account, 100n);
    await ledger.reserve(reserved);
    expect(await ledger.settle(callOf({ ...reserved, ...other }, 50n))).toBe("gone");
    expect(await userOf(other)).toMatchObject({ quota: 100n });
    expect(await ledger.settle(callOf(reserved, 0n))).toBe("settled");
  });
});

describe("reservation", () => {
  it("is refused when the balance does not cover it", async () => {
    const account = await makeAccount(database, { quota: 99n });
    await expect(ledger.reserve(reservation(account, 100n))).rejects.toMatchObject({
      code: "insufficient_quota",
    });
    expect(await userOf(account)).toMatchObject({ quota: 99n, reserved: 0n });
  });

  it("is refused when the token does not cover it, even if its owner does", async () => {
    const account = await makeAccount(database, { quota: 1000n, tokenQuota: 99n });
    await expect(ledger.reserve(reservation(account, 100n, 100n))).rejects.toMatchObject({
      code: "token_quota_exhausted",
    });
    // A caller with an outdated view of the token's limit gets the same result.
    await expect(ledger.reserve(reservation(account, 100n, 0n))).rejects.toMatchObject({
      code: "token_quota_exhausted",
    });
    expect(await userOf(account)).toMatchObject({ reserved: 0n });
  });

  it("is refused for a disabled or deleted owner or token", async () => {
    const account = await makeAccount(database, { quota: 1000n });
    await database.db.token.update({ where: { id: account.tokenId }, data: { status: 2 } });
    await expect(ledger.reserve(reservation(account, 1n))).rejects.toMatchObject({ code: "invalid_api_key" });
    await database.db.user.update({ where: { id: account.userId }, data: { deleted_at: new Date() } });
    await expect(ledger.reserve(reservation(account, 1n))).rejects.toMatchObject({ code: "user_disabled" });
  });

  it("is refused for a negative amount", async () => {
    const account = await makeAccount(database, { quota: 1000n });
    await expect(ledger.reserve(reservation(account, -1n))).rejects.toMatchObject({ code: "internal" });
    await expect(ledger.settle(callOf(reservation(account, 1n), -1n))).rejects.toMatchObject({
      code: "internal",
    });
  });

  it("cannot be made twice with one request id", async () => {
    const account = await makeAccount(database, { quota: 1000n });
    const reserved = reservation(account, 100n);
    await ledger.reserve(reserved);
    await expect(ledger.reserve(reserved)).rejects.toMatchObject({ code: "conflict" });
    const other = createLedger({ database, nodeId: randomUUID(), onError: () => {} });
    await expect(other.reserve(reserved)).rejects.toMatchObject({ code: "conflict" });
    expect(await userOf(account)).toMatchObject({ reserved: 100n });
    await ledger.settle(callOf(reserved, 0n));
  });

  it("is granted exactly 10 times for 500 concurrent calls when the balance covers 10", async () => {
    const account = await makeAccount(database, { quota: 1000n });
    const all = Array.from({ length: 500 }, () => reservation(account, 100n));
    const answers = await Promise.allSettled(all.map((reserved) => ledger.reserve(reserved)));
    const granted = all.filter((_, index) => answers[index]?.status === "fulfilled");
    expect(granted).toHaveLength(10);
    for (const answer of answers) {
      if (answer.status === "rejected") expect(answer.reason).toMatchObject({ code: "insufficient_quota" });
    }
    await Promise.all(granted.map((reserved) => ledger.settle(callOf(reserved, 100n))));
    expect(await userOf(account)).toEqual({ quota: 0n, reserved: 0n, used_quota: 1000n, request_count: 10n });
  });

  it("is granted 10 times for 500 concurrent calls on three nodes when the token covers 10", async () => {
    const account = await makeAccount(database, { quota: 100_000n, tokenQuota: 1000n });
    const nodes = [
      ledger,
      ...[1, 2].map(() => createLedger({ database, nodeId: randomUUID(), onError: () => {} })),
    ];
    const all = Array.from({ length: 500 }, () => reservation(account, 100n, 100n));
    const answers = await Promise.allSettled(
      all.map((reserved, index) => nodes[index % nodes.length]!.reserve(reserved)),
    );
    const granted = all.filter((_, index) => answers[index]?.status === "fulfilled");
    expect(granted).toHaveLength(10);
    await Promise.all(granted.map((reserved) => ledger.settle(callOf(reserved, 100n))));
    expect(await tokenOf(account)).toEqual({ remain_quota: 0n, reserved: 0n, used_quota: 1000n });
  });

  it("is granted when it fits alone, although others in its batch do not fit", async () => {
    const account = await makeAccount(database, { quota: 100n });
    const answers = await Promise.allSettled([
      ledger.reserve(reservation(account, 500n)),
      ledger.reserve(reservation(account, 60n)),
      ledger.reserve(reservation(account, 60n)),
      ledger.reserve(reservation(account, 40n)),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual([
      "rejected",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
  });
});

describe("batch", () => {
  it("releases ending calls before it checks beginning calls", async () => {
    const account = await makeAccount(database, {
      quota: 100n,
      tokenQuota: 100n,
      rates: { concurrency: 1, daily_spend: 100, monthly_spend: 100 },
    });
    let reserved = reservation(account, 100n, 100n);
    await ledger.reserve(reserved);
    for (let left = 90n; left > 0n; left -= 10n) {
      const next = reservation(account, left, left);
      const [ended] = await Promise.all([ledger.settle(callOf(reserved, 10n)), ledger.reserve(next)]);
      expect(ended).toBe("settled");
      reserved = next;
    }
    await ledger.settle(callOf(reserved, 10n));
    expect(await tokenOf(account)).toEqual({ remain_quota: 0n, reserved: 0n, used_quota: 100n });
  });

  it("does not deadlock with batches of other nodes for the same accounts", async () => {
    const accounts = await Promise.all(
      [1, 2, 3, 4].map(() => makeAccount(database, { quota: 100_000n, tokenQuota: 100_000n })),
    );
    const nodes = [1, 2, 3].map(() => createLedger({ database, nodeId: randomUUID(), onError: () => {} }));
    const calls = Array.from({ length: 240 }, async (_, index) => {
      const node = nodes[index % nodes.length]!;
      const reserved = reservation(accounts[(index * 7) % accounts.length]!, 10n, 10n);
      await node.reserve(reserved);
      return node.settle(callOf(reserved, 3n));
    });
    expect(new Set(await Promise.all(calls))).toEqual(new Set(["settled"]));
  });
});

describe("credit", () => {
  const gift = (account: Account, amount: bigint, reference: string) =>
    credit(database.db, {
      userId: account.userId,
      kind: "admin",
      amount,
      reference,
      reason: "because",
      actorId: 1,
    });

  it("adds to the balance once per reference and is logged", async () => {
    const account = await makeAccount(database, { quota: 10n });
    const reference = randomUUID();
    expect(await gift(account, 90n, reference)).toBe(100n);
    expect(await gift(account, 90n, reference)).toBe(100n);
    expect(await logsOf(reference)).toMatchObject([{ type: 3, quota: 90n, content: "because" }]);
    await expect(gift(account, 91n, reference)).rejects.toMatchObject({ code: "conflict" });
  });

  it("is written once for concurrent requests", async () => {
    const account = await makeAccount(database);
    const reference = randomUUID();
    const balances = await Promise.all(Array.from({ length: 20 }, () => gift(account, 5n, reference)));
    expect(new Set(balances)).toEqual(new Set([5n]));
  });

  it("leaves the reservations of open calls when it deducts", async () => {
    const account = await makeAccount(database, { quota: 100n });
    const reserved = reservation(account, 60n);
    await ledger.reserve(reserved);
    await expect(gift(account, -41n, randomUUID())).rejects.toMatchObject({
      code: "invalid_request",
      message: "Cannot deduct an amount exceeding the user's balance",
    });
    expect(await gift(account, -40n, randomUUID())).toBe(60n);
    await ledger.settle(callOf(reserved, 60n));
    expect(await userOf(account)).toMatchObject({ quota: 0n });
  });

  it("rolls back with its transaction", async () => {
    const account = await makeAccount(database, { quota: 10n });
    const attempt = database.db.$transaction(async (tx) => {
      await credit(tx, {
        userId: account.userId,
        kind: "topup",
        amount: 5n,
        reference: randomUUID(),
        reason: "",
      });
      throw new Error("the payment was not ours");
    });
    await expect(attempt).rejects.toThrow("not ours");
    expect(await userOf(account)).toMatchObject({ quota: 10n });
  });

  it("is refused for an unknown user, for zero, and beyond the range", async () => {
    const account = await makeAccount(database, { quota: 10n });
    await expect(gift({ userId: 0, tokenId: 0 }, 1n, randomUUID())).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(gift(account, 0n, randomUUID())).rejects.toMatchObject({ code: "invalid_request" });
    await expect(gift(account, 9_007_199_254_740_991n, randomUUID())).rejects.toMatchObject({
      code: "invalid_request",
    });
  });
});

describe("node", () => {
  const quick = { beatMs: 50, silentAfterMs: 1_000, onError: (error: unknown) => errors.push(error) };

  it("releases the reservations of a dead node", async () => {
    const account = await makeAccount(database, { quota: 100n, tokenQuota: 100n });
    const other = connect(database.url, { max: 2 });
    const dead = createLedger({ ...quick, database: other, nodeId: randomUUID(), beatMs: 60_000 });
    await dead.start();
    const reserved = reservation(account, 100n, 100n);
    await dead.reserve(reserved);
    const alive = createLedger({ ...quick, database, nodeId: randomUUID() });
    await alive.start();
    await expect.poll(() => userOf(account)).toMatchObject({ quota: 100n, reserved: 0n });
    expect(await tokenOf(account)).toMatchObject({ remain_quota: 100n, reserved: 0n });
    expect(await dead.settle(callOf(reserved, 100n))).toBe("gone");
    expect(await userOf(account)).toMatchObject({ quota: 100n });
    await alive.close();
    await other.close();
  });

  it("keeps its reservations while it is alive, however long a call takes", async () => {
    const account = await makeAccount(database, { quota: 100n });
    const nodes = [1, 2].map(() =>
      createLedger({ ...quick, database, nodeId: randomUUID(), silentAfterMs: 1_500 }),
    );
    await Promise.all(nodes.map((node) => node.start()));
    const reserved = reservation(account, 100n);
    await nodes[0]!.reserve(reserved);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await userOf(account)).toMatchObject({ reserved: 100n });
    expect(await nodes[0]!.settle(callOf(reserved, 1n))).toBe("settled");
    await Promise.all(nodes.map((node) => node.close()));
  });

  it("releases reservations that it has lost track of", async () => {
    const account = await makeAccount(database, { quota: 100n });
    const nodeId = randomUUID();
    const stray = createLedger({ ...quick, database, nodeId });
    await stray.reserve(reservation(account, 100n));
    const node = createLedger({ ...quick, database, nodeId });
    await node.start();
    await expect.poll(() => userOf(account)).toMatchObject({ reserved: 0n });
    await node.close();
  });

  it("releases the reservation of a call whose charge is too large for any balance", async () => {
    const account = await makeAccount(database, { quota: 100n });
    const node = createLedger({ ...quick, database, nodeId: randomUUID() });
    await node.start();
    const reserved = reservation(account, 100n);
    await node.reserve(reserved);
    await expect(node.settle(callOf(reserved, 2n ** 60n))).rejects.toMatchObject({ code: "internal" });
    await expect.poll(() => userOf(account)).toMatchObject({ quota: 100n, reserved: 0n });
    await node.close();
  });

  it("releases its reservations when it closes, and grants no more", async () => {
    const account = await makeAccount(database, { quota: 100n });
    const nodeId = randomUUID();
    const node = createLedger({ ...quick, database, nodeId });
    await node.start();
    await node.reserve(reservation(account, 100n));
    await node.close();
    expect(await userOf(account)).toMatchObject({ quota: 100n, reserved: 0n });
    const { rows } = await database.pool.query("SELECT FROM nodes WHERE id = $1", [nodeId]);
    expect(rows).toHaveLength(0);
    await expect(node.reserve(reservation(account, 1n))).rejects.toMatchObject({ code: "shutting_down" });
  });
});
