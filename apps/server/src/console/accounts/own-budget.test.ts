import type { OwnBudget } from "@gateway/shared/accounts/budget";
import type { StatementLine } from "@gateway/shared/billing/statement";
import type { OwnPeriod } from "@gateway/shared/usage/analytics";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { User } from "#platform/prisma/client.ts";
import { type Browser, buildConsole, type TestConsole } from "#test/console.ts";

/** What customers see and plan of their own spending. */
let site: TestConsole;
beforeAll(async () => {
  site = await buildConsole();
});
afterAll(() => site.close());

const dayMs = 86_400_000;

async function customer(values: Parameters<TestConsole["makeUser"]>[0] = {}) {
  const user = await site.makeUser(values);
  return { user, browser: await site.as(user) };
}

/** Adds the charges of an hour. */
async function charge(user: User, input: { ago: number; quota: number; model?: string; token_id?: number }) {
  const { ago, quota, model = "m", token_id = 0 } = input;
  const hour = new Date(Math.floor((Date.now() - ago) / 3_600_000) * 3_600_000);
  const sums = { request_count: 1n, quota: BigInt(quota), prompt_tokens: 10n };
  await site.database.db.usageHour.create({
    data: { hour, user_id: user.id, token_id, channel_id: 0, model, group: "default", ...sums },
  });
}

const budgetOf = async (browser: Browser) =>
  (await browser.get<OwnBudget>("/api/user/self/budget")).body.data;

describe("the budget that an owner sets", () => {
  it("is stored, recorded in the audit log, removed by a limit of 0, and shown as a budget of the account", async () => {
    const { user, browser } = await customer();
    expect((await budgetOf(browser)).own).toEqual({ limit: 0, warning: 0, stops: false });
    const budget = { limit: 5_000_000, warning: 90, stops: true };
    const set = await browser.send<OwnBudget>("PUT", "/api/user/self/budget", budget);
    expect(set.body.data.own).toEqual(budget);
    const self = await browser.get<{ has_budget: boolean }>("/api/user/self");
    expect(self.body.data.has_budget).toBe(true);
    const entry = await site.database.db.auditEntry.findFirst({ where: { action: "user.own_budget" } });
    expect(entry).toMatchObject({ user_id: user.id, target_id: String(user.id), after: budget });
    const removed = await browser.send<OwnBudget>("PUT", "/api/user/self/budget", { limit: 0 });
    expect(removed.body.data.own).toMatchObject({ limit: 0 });
  });

  it("has amounts and a percentage within their limits", async () => {
    const { browser } = await customer();
    for (const [wrong, field] of [
      [{ limit: -1 }, "limit"],
      [{ limit: 1_000_000_000_001 }, "limit"],
      [{ limit: 1, warning: 101 }, "warning"],
      [{ limit: 1, warning: 0.5 }, "warning"],
    ] as const) {
      const answer = await browser.send("PUT", "/api/user/self/budget", wrong);
      expect(answer.status).toBe(400);
      expect(Object.keys(answer.body.fields ?? {})).toEqual([field]);
    }
  });
});

describe("the forecast of a month", () => {
  it("adds the average of the last seven days for the days that are left", async () => {
    const { user, browser } = await customer();
    for (const day of [1, 3, 6]) await charge(user, { ago: day * dayMs, quota: 700 });
    await charge(user, { ago: 20 * dayMs, quota: 1_000_000 });
    const spent_day = new Date(`${new Date().toISOString().slice(0, 10)}T00:00:00Z`);
    await site.database.db.user.update({ where: { id: user.id }, data: { spent_day, month_quota: 5_000n } });
    const { month } = await budgetOf(browser);
    expect(month).toMatchObject({ used: 5_000, averaged_days: 7, daily_average: 300, time_zone: "UTC" });
    expect(month.expected).toBe(5_000 + Math.round(300 * month.days_left));
    expect(month.days_left * dayMs + Date.now()).toBeCloseTo(month.resets_at * 1_000, -5);
  });

  it("averages the days since the first call of a new account, at least one, and is 0 without calls", async () => {
    const { user, browser } = await customer();
    expect((await budgetOf(browser)).month).toMatchObject({ used: 0, expected: 0 });
    await charge(user, { ago: 1_000, quota: 900 });
    expect((await budgetOf(browser)).month).toMatchObject({ averaged_days: 1, daily_average: 900 });
  });
});

describe("the own usage", () => {
  it("is split by key and tag for the owner, and contains no calls of others", async () => {
    const { user, browser } = await customer({ role: 3 });
    const other = await customer();
    const token = await browser.send<{ id: number }>("POST", "/api/token", {
      name: "app",
      billing_tag: "team",
    });
    const token_id = token.body.data.id;
    await charge(user, { ago: 1_000, quota: 100, model: "a", token_id });
    await charge(user, { ago: 1_000, quota: 50, model: "b", token_id });
    await charge(other.user, { ago: 1_000, quota: 7, model: "a" });
    const now = Math.floor(Date.now() / 1_000);
    const period = (by: string, from = browser) =>
      from.get<OwnPeriod>(
        `/api/user/period?start_timestamp=${now - 86_400}&end_timestamp=${now}&time_zone=UTC&group_type=${by}`,
      );
    const namesOf = ({ channel_statistics: rows }: OwnPeriod) =>
      rows.map(({ Channel, Quota }) => `${Channel}: ${Quota}`).toSorted();
    expect(namesOf((await period("model")).body.data)).toEqual(["a: 100", "b: 50"]);
    expect(namesOf((await period("token")).body.data)).toEqual(["app: 150"]);
    expect(namesOf((await period("tag")).body.data)).toEqual(["team: 150"]);
    expect((await period("tag", other.browser)).status).toBe(403);
    expect((await period("channel")).status).toBe(400);
  });

  it("of the current month is the statement so far", async () => {
    const { user, browser } = await customer();
    await charge(user, { ago: 1_000, quota: 100, model: "a" });
    await charge(user, { ago: 1_000, quota: 300, model: "b" });
    await charge(user, { ago: 45 * dayMs, quota: 999, model: "c" });
    const { body } = await browser.get<StatementLine[]>("/api/user/invoice/running");
    const date = `${new Date().toISOString().slice(0, 7)}-01`;
    expect(body.data).toMatchObject([
      { date, model_name: "b", quota: 300, request_count: 1 },
      { date, model_name: "a", quota: 100, request_count: 1 },
    ]);
  });
});
