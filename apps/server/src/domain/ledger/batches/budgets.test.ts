import { randomUUID } from "node:crypto";
import type { Budget } from "@gateway/shared/accounts/budget";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Account, callOf, makeAccount, reservation } from "#domain/ledger/accounts.fixture.ts";
import { audit } from "#domain/ledger/balances/audit.ts";
import { createLedger, type Ledger } from "#domain/ledger/ledger.ts";
import { GatewayError } from "#errors.ts";
import type { Database } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";
import type { ReserveInput } from "./operations.ts";

/** Budgets of accounts and groups, on three nodes. */
let database: Database;
let nodes: Ledger[];

beforeAll(async () => {
  database = await openTestDatabase({ max: 8 });
  nodes = [1, 2, 3].map(() =>
    createLedger({
      database,
      nodeId: randomUUID(),
      callsBeforeLease: 2,
      onError: (error) => expect.unreachable(String(error)),
    }),
  );
  await Promise.all(nodes.map((node) => node.start()));
});

afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()));
  await database.close();
});

interface Outcome {
  granted: ReserveInput[];
  refused: GatewayError[];
}

async function ask(accounts: readonly Account[], count: number, amount: bigint): Promise<Outcome> {
  const outcome: Outcome = { granted: [], refused: [] };
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const reserved = reservation(accounts[index % accounts.length]!, amount);
      try {
        await nodes[index % 3]!.reserve(reserved);
        outcome.granted.push(reserved);
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        outcome.refused.push(error);
      }
    }),
  );
  return outcome;
}

async function settleAll(calls: readonly ReserveInput[], quota: bigint): Promise<void> {
  await Promise.all(
    calls.map(async (call) => {
      const results = await Promise.all(nodes.map((node) => node.settle(callOf(call, quota))));
      expect(results).toContain("settled");
    }),
  );
}

async function budgeted(budget: Partial<Budget>, quota = 1_000_000n): Promise<Account> {
  const account = await makeAccount(database, { quota });
  await database.db.user.update({ where: { id: account.userId }, data: { budget } });
  return account;
}

const userOf = ({ userId }: Account) => database.db.user.findUniqueOrThrow({ where: { id: userId } });

/** Another API key of the same account. */
async function secondKey(account: Account): Promise<Account> {
  const other = await makeAccount(database);
  await database.db.token.update({ where: { id: other.tokenId }, data: { user_id: account.userId } });
  return { userId: account.userId, tokenId: other.tokenId };
}

describe("budget that the owner of an account set", () => {
  const withOwnBudget = async (own_month_limit: bigint, own_month_stops: boolean): Promise<Account> => {
    const account = await makeAccount(database, { quota: 1_000_000n });
    const data = { own_month_limit, own_month_stops };
    await database.db.user.update({ where: { id: account.userId }, data });
    return account;
  };

  it("is never overspent by all keys on all nodes when it stops calls", async () => {
    const account = await withOwnBudget(100n, true);
    const { granted, refused } = await ask([account, await secondKey(account)], 60, 10n);
    expect(granted).toHaveLength(10);
    expect(refused[0]).toMatchObject({
      status: 402,
      code: "budget_exceeded",
      message: expect.stringContaining("that you set for your account is $0.000200"),
    });
    await settleAll(granted, 10n);
    expect((await ask([account], 1, 1n)).granted).toHaveLength(0);
    expect(await audit(database.pool)).toMatchObject({ drift: 0n, rows: [] });
  });

  it("refuses no call when it only warns", async () => {
    const { granted } = await ask([await withOwnBudget(100n, false)], 30, 10n);
    expect(granted).toHaveLength(30);
    await settleAll(granted, 10n);
  });

  it("does not reduce the charge of a call that costs more than was reserved", async () => {
    const account = await withOwnBudget(30n, true);
    await settleAll((await ask([account], 1, 10n)).granted, 50n);
    expect(await userOf(account)).toMatchObject({ month_quota: 50n, quota: 999_950n });
  });

  it("applies together with the budget that the operator set", async () => {
    const account = await withOwnBudget(100n, true);
    await database.db.user.update({ where: { id: account.userId }, data: { budget: { monthly_spend: 40 } } });
    const { granted, refused } = await ask([account], 20, 10n);
    expect(granted).toHaveLength(4);
    expect(refused[0]?.message).toContain("Your monthly budget is");
    await settleAll(granted, 0n);
  });
});

describe("account budget", () => {
  it("is never overspent by all keys on all nodes, and unused points become free again", async () => {
    const account = await budgeted({ daily_spend: 100 });
    const keys = [account, await secondKey(account)];
    const first = await ask(keys, 60, 10n);
    expect(first.granted).toHaveLength(10);
    expect(new Set(first.refused.map((error) => error.code))).toEqual(new Set(["budget_exceeded"]));
    expect(first.refused[0]).toMatchObject({
      status: 402,
      message: expect.stringContaining("Your daily budget is $0.000200"),
    });
    expect(first.refused[0]?.retryAfter).toBeLessThanOrEqual(86_400);
    await settleAll(first.granted, 4n);
    expect(await userOf(account)).toMatchObject({
      day_quota: 40n,
      week_quota: 40n,
      month_quota: 40n,
      reserved: 0n,
    });
    const second = await ask(keys, 60, 10n);
    expect(second.granted).toHaveLength(6);
    await settleAll(second.granted, 10n);
    expect((await ask(keys, 5, 1n)).granted).toHaveLength(0);
    expect((await ask(keys, 3, 0n)).granted).toHaveLength(3);
    expect(await audit(database.pool)).toMatchObject({ drift: 0n, rows: [] });
  });

  it("limits the charge of a call that costs more than was reserved", async () => {
    const account = await budgeted({ monthly_spend: 30 });
    const { granted } = await ask([account], 1, 10n);
    await settleAll(granted, 50n);
    expect(await userOf(account)).toMatchObject({ month_quota: 30n, quota: 999_970n });
    expect((await ask([account], 1, 1n)).refused[0]?.message).toContain("monthly");
  });

  it("resets with the day, the week and the month", async () => {
    const account = await budgeted({ daily_spend: 50, weekly_spend: 80, monthly_spend: 100 });
    const move = (days: number) =>
      database.pool.query(
        "UPDATE users SET spent_day = date_trunc('month', now() AT TIME ZONE 'UTC')::date - $2::int WHERE id = $1",
        [account.userId, days],
      );
    await settleAll((await ask([account], 5, 10n)).granted, 10n);
    expect((await ask([account], 1, 10n)).refused[0]?.message).toContain("daily");
    await database.pool.query("UPDATE users SET day_quota = 0 WHERE id = $1", [account.userId]);
    const next = await ask([account], 9, 10n);
    expect(next.granted).toHaveLength(3);
    expect(next.refused.at(-1)?.message).toContain("weekly");
    await settleAll(next.granted, 10n);
    await database.pool.query("UPDATE users SET day_quota = 0, week_quota = 0 WHERE id = $1", [
      account.userId,
    ]);
    const last = await ask([account], 9, 10n);
    expect(last.granted).toHaveLength(2);
    expect(last.refused.at(-1)?.message).toContain("monthly");
    await settleAll(last.granted, 10n);
    await move(10);
    const fresh = await ask([account], 9, 10n);
    expect(fresh.granted).toHaveLength(5);
    await settleAll(fresh.granted, 10n);
    expect(await userOf(account)).toMatchObject({ day_quota: 50n, week_quota: 50n, month_quota: 50n });
  });

  it("ends a day at midnight in the site's time zone, and treats an invalid zone as UTC", async () => {
    const account = await budgeted({ daily_spend: 50 });
    const day = async (zone: string) => {
      await database.db.option.upsert({
        where: { key: "TimeZone" },
        create: { key: "TimeZone", value: zone },
        update: { value: zone },
      });
      await database.pool.query("UPDATE users SET spent_day = '1970-01-01' WHERE id = $1", [account.userId]);
      await settleAll((await ask([account], 1, 1n)).granted, 1n);
      return (await userOf(account)).spent_day.toISOString().slice(0, 10);
    };
    const dateIn = (timeZone: string) => new Date().toLocaleDateString("sv-SE", { timeZone });
    expect(await day("Pacific/Kiritimati")).toBe(dateIn("Pacific/Kiritimati"));
    expect(await day("Pacific/Pago_Pago")).toBe(dateIn("Pacific/Pago_Pago"));
    expect(await day("Nowhere/Nothing")).toBe(dateIn("UTC"));
    await database.db.option.delete({ where: { key: "TimeZone" } });
  });
});

describe("group budget", () => {
  it("applies to each member, unless the member has a budget of its own", async () => {
    const symbol = randomUUID().slice(0, 20);
    await database.db.userGroup.create({ data: { symbol, name: symbol, budget: { daily_spend: 50 } } });
    const [one, other, free] = [
      await makeAccount(database, { quota: 1_000n }),
      await makeAccount(database, { quota: 1_000n }),
      await budgeted({ daily_spend: 0 }),
    ];
    const ids = [one, other, free].map(({ userId }) => userId);
    await database.db.user.updateMany({ where: { id: { in: ids } }, data: { group: symbol } });
    expect((await ask([one], 20, 10n)).granted).toHaveLength(5);
    expect((await ask([other], 20, 10n)).granted).toHaveLength(5);
    expect((await ask([free], 20, 10n)).granted).toHaveLength(20);
  });
});

describe("operator's budget of a key", () => {
  it("applies together with the owner's limit, and the smaller one refuses", async () => {
    const account = await makeAccount(database, { quota: 1_000n, rates: { daily_spend: 60 } });
    const set = (budget: Partial<Budget>) =>
      database.db.token.update({ where: { id: account.tokenId }, data: { budget } });
    await set({ daily_spend: 30, weekly_spend: 50 });
    await settleAll((await ask([account], 10, 10n)).granted, 10n);
    await set({ weekly_spend: 50 });
    const week = await ask([account], 10, 10n);
    expect(week.granted).toHaveLength(2);
    expect(week.refused.at(-1)).toMatchObject({ code: "spend_limit_reached" });
    expect(week.refused.at(-1)?.message).toContain("weekly");
    await settleAll(week.granted, 10n);
    await set({});
    expect((await ask([account], 10, 10n)).granted).toHaveLength(1);
  });
});

describe("leases and budgets", () => {
  it("gives no lease to an account with a budget, and recalls a lease when a budget is set", async () => {
    const account = await makeAccount(database, { quota: 1_000_000n });
    const leased = async () => (await userOf(account)).leased;
    for (let call = 0; call < 12; call += 1) {
      const { granted } = await ask([account], 1, 10n);
      await settleAll(granted, 10n);
    }
    expect(await leased()).toBeGreaterThan(0n);
    await database.db.user.update({ where: { id: account.userId }, data: { budget: { daily_spend: 200 } } });
    await settleAll((await ask([account], 1, 10n)).granted, 10n);
    await Promise.all(nodes.map((node) => node.recall({ userId: account.userId })));
    await expect.poll(leased).toBe(0n);
    const spent = (await userOf(account)).day_quota;
    const { granted } = await ask([account], 60, 10n);
    expect(spent + 10n * BigInt(granted.length)).toBe(200n);
    expect(await leased()).toBe(0n);
    expect(await audit(database.pool)).toMatchObject({ drift: 0n, rows: [] });
  });
});

describe("any interleaving", () => {
  const step = fc.record({
    node: fc.nat(2),
    amount: fc.integer({ min: 1, max: 40 }),
    charge: fc.integer({ min: 0, max: 60 }),
  });

  it(
    "never spends or reserves more than the budget, whatever the calls cost",
    { timeout: 120_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(step, { minLength: 1, maxLength: 15 }), { maxLength: 4 }),
          async (waves) => {
            const account = await budgeted({ daily_spend: 150, weekly_spend: 120 });
            for (const wave of waves) {
              await Promise.all(
                wave.map(async ({ node, amount, charge }) => {
                  const reserved = reservation(account, BigInt(amount));
                  try {
                    await nodes[node]!.reserve(reserved);
                  } catch (error) {
                    if (error instanceof GatewayError && error.code === "budget_exceeded") return;
                    throw error;
                  }
                  const now = await userOf(account);
                  expect(now.week_quota + now.reserved + now.leased).toBeLessThanOrEqual(120n);
                  await nodes[node]!.settle(callOf(reserved, BigInt(charge)));
                }),
              );
              const { week_quota, reserved, leased } = await userOf(account);
              expect(week_quota).toBeLessThanOrEqual(120n);
              expect(reserved + leased).toBe(0n);
            }
          },
        ),
        { numRuns: 25 },
      );
      expect(await audit(database.pool)).toMatchObject({ drift: 0n, rows: [] });
    },
  );
});
