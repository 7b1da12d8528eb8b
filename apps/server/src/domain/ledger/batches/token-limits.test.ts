import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Account, callOf, makeAccount, reservation } from "#domain/ledger/accounts.fixture.ts";
import { audit } from "#domain/ledger/balances/audit.ts";
import { releaseStatement } from "#domain/ledger/calls/node-heartbeat.ts";
import { createLedger, type Ledger } from "#domain/ledger/ledger.ts";
import type { GatewayError } from "#errors.ts";
import type { Database } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";
import type { ReserveInput } from "./operations.ts";

/** Limits of one token on three nodes: spending per day and month, and concurrent calls. */
let database: Database;
let nodes: Ledger[];

beforeAll(async () => {
  database = await openTestDatabase({ max: 8 });
  nodes = [1, 2, 3].map(() =>
    createLedger({
      database,
      nodeId: randomUUID(),
      onError: (error) => expect.unreachable(String(error)),
    }),
  );
});

afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()));
  await database.close();
});

interface Outcome {
  granted: ReserveInput[];
  refused: GatewayError[];
}

/** Sends this many concurrent requests, spread over the nodes. */
async function ask(account: Account, count: number, amount: bigint): Promise<Outcome> {
  const outcome: Outcome = { granted: [], refused: [] };
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const reserved = reservation(account, amount);
      try {
        await nodes[index % 3]!.reserve(reserved);
        outcome.granted.push(reserved);
      } catch (error) {
        outcome.refused.push(error as GatewayError);
      }
    }),
  );
  return outcome;
}

async function settleAll(calls: ReserveInput[], quota: bigint): Promise<void> {
  await Promise.all(calls.map((reserved, index) => nodes[index % 3]!.settle(callOf(reserved, quota))));
}

async function tokenOf(account: Account) {
  return database.db.token.findUniqueOrThrow({ where: { id: account.tokenId } });
}

describe("spending limit of a token", () => {
  it("is never overspent by concurrent calls, and unused points become free again", async () => {
    const account = await makeAccount(database, { quota: 1_000_000n, rates: { daily_spend: 100 } });
    const first = await ask(account, 60, 10n);
    expect(first.granted).toHaveLength(10);
    expect(new Set(first.refused.map((error) => error.code))).toEqual(new Set(["spend_limit_reached"]));
    expect(first.refused[0]).toMatchObject({
      status: 402,
      message: expect.stringContaining("The daily spending limit of this API key is $0.000200"),
    });
    await settleAll(first.granted, 4n);
    expect(await tokenOf(account)).toMatchObject({ day_quota: 40n, month_quota: 40n, reserved: 0n });
    const second = await ask(account, 60, 10n);
    expect(second.granted).toHaveLength(6);
    await settleAll(second.granted, 10n);
    expect((await ask(account, 5, 1n)).granted).toHaveLength(0);
    expect(await audit(database.pool)).toMatchObject({ drift: 0n, rows: [] });
  });

  it("resets the daily limit with the day and the monthly limit with the month", async () => {
    const account = await makeAccount(database, {
      quota: 1_000_000n,
      rates: { daily_spend: 50, monthly_spend: 80 },
    });
    await settleAll((await ask(account, 5, 10n)).granted, 10n);
    const [today] = (await ask(account, 1, 10n)).refused;
    expect(today?.message).toContain("daily");
    expect(today?.retryAfter).toBeLessThanOrEqual(86_400);
    await database.pool.query("UPDATE tokens SET spent_day = spent_day - 1 WHERE id = $1", [account.tokenId]);
    const next = await ask(account, 9, 10n);
    expect(next.granted).toHaveLength(3);
    expect(next.refused.at(-1)?.message).toContain("monthly");
    await settleAll(next.granted, 10n);
    expect(await tokenOf(account)).toMatchObject({ day_quota: 30n, month_quota: 80n });
    await database.pool.query(
      "UPDATE tokens SET spent_day = spent_day - 40, spent_month = spent_month - interval '1 month' WHERE id = $1",
      [account.tokenId],
    );
    expect((await ask(account, 9, 10n)).granted).toHaveLength(5);
  });

  it("counts charges when the token's quota is unlimited, and does not refuse free calls", async () => {
    const account = await makeAccount(database, { quota: 100n, rates: { monthly_spend: 10 } });
    const { granted } = await ask(account, 1, 10n);
    await settleAll(granted, 25n);
    expect(await tokenOf(account)).toMatchObject({ month_quota: 25n, remain_quota: 0n });
    expect((await ask(account, 1, 1n)).refused).toHaveLength(1);
    expect((await ask(account, 3, 0n)).granted).toHaveLength(3);
  });
});

describe("concurrency limit of a token", () => {
  it("applies across all nodes, and an ended call frees a slot", async () => {
    const account = await makeAccount(database, { quota: 1_000_000n, rates: { concurrency: 5 } });
    const first = await ask(account, 40, 10n);
    expect(first.granted).toHaveLength(5);
    expect(first.refused[0]).toMatchObject({ code: "rate_limit_exceeded", status: 429, retryAfter: 1 });
    expect(first.refused[0]?.message).toContain("5 calls");
    await settleAll(first.granted.slice(0, 2), 3n);
    expect((await ask(account, 40, 0n)).granted).toHaveLength(2);
  });

  it("excludes a dead node's calls once they are released", async () => {
    const account = await makeAccount(database, { quota: 1_000n, rates: { concurrency: 2 } });
    const { granted } = await ask(account, 4, 10n);
    expect(granted).toHaveLength(2);
    await database.pool.query({
      ...releaseStatement,
      values: [granted.map((reserved) => reserved.requestId), [account.userId], [account.tokenId]],
    });
    expect(await tokenOf(account)).toMatchObject({ open_calls: 0 });
    expect((await ask(account, 4, 10n)).granted).toHaveLength(2);
    expect(await audit(database.pool)).toMatchObject({ drift: 0n, rows: [] });
  });

  it("stays correct when the limit is set or removed while calls are open", async () => {
    const account = await makeAccount(database, { quota: 1_000n });
    const before = await ask(account, 3, 10n);
    await database.db.token.update({
      where: { id: account.tokenId },
      data: { setting: { rates: { concurrency: 1 } } },
    });
    const during = await ask(account, 3, 10n);
    expect(during.granted).toHaveLength(1);
    await database.db.token.update({ where: { id: account.tokenId }, data: { setting: {} } });
    await settleAll([...before.granted, ...during.granted], 10n);
    expect(await tokenOf(account)).toMatchObject({ open_calls: 0, reserved: 0n });
    expect(await audit(database.pool)).toMatchObject({ drift: 0n, rows: [] });
  });
});
