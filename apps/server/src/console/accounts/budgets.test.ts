import type { BudgetUses, BudgetView, OwnBudget } from "@gateway/shared/accounts/budget";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collectBudgetNotices } from "#domain/budgets/budget-notices.ts";
import { Prisma, type User } from "#platform/prisma/client.ts";
import { type Browser, buildConsole, type TestConsole } from "#test/console.ts";

let site: TestConsole;
let root: Browser;
let admin: Browser;
let adminUser: User;

beforeAll(async () => {
  site = await buildConsole();
  root = await site.as(await site.makeUser({ role: 100 }));
  adminUser = await site.makeUser({ role: 10 });
  admin = await site.as(adminUser);
});
afterAll(() => site.close());

const none = {
  daily_spend: 0,
  daily_notify: 0,
  weekly_spend: 0,
  weekly_notify: 0,
  monthly_spend: 0,
  monthly_notify: 0,
};

async function spend(user: User, points: bigint): Promise<void> {
  const spent_day = new Date(`${new Date().toISOString().slice(0, 10)}T00:00:00Z`);
  const data = { spent_day, day_quota: points, week_quota: points, month_quota: points };
  await site.database.db.user.update({ where: { id: user.id }, data });
}

describe("budgets", () => {
  it("of an account are set by an administrator, shown to its owner, and recorded in the audit log", async () => {
    const user = await site.makeUser();
    const owner = await site.as(user);
    const budget = { ...none, daily_spend: 500, daily_notify: 400 };
    const set = await admin.send<BudgetView>("PUT", `/api/user/${user.id}/budget`, { budget });
    expect(set.body.data).toMatchObject({ budget, inherited: null, time_zone: "UTC" });
    await spend(user, 120n);
    const own = await owner.get<OwnBudget>("/api/user/self/budget");
    const [use] = own.body.data.account;
    expect(use).toMatchObject({ period: "day", used: 120, limit: 500, notify: 400 });
    const midnight = new Date(new Date().setUTCHours(24, 0, 0, 0)).getTime() / 1000;
    expect(use?.resets_at).toBe(midnight);
    const list = await admin.get<BudgetUses>(`/api/user/budgets?ids=${user.id},${adminUser.id}`);
    expect(list.body.data).toMatchObject({ [user.id]: [{ used: 120 }] });
    expect(Object.keys(list.body.data)).toHaveLength(1);
    expect(
      await site.database.db.auditEntry.findFirst({
        where: { action: "user.budget", target_id: String(user.id) },
      }),
    ).toMatchObject({ user_id: adminUser.id, before: null, after: budget });
    const gone = await admin.send<BudgetView>("PUT", `/api/user/${user.id}/budget`, { budget: null });
    expect(gone.body.data).toMatchObject({ budget: null, uses: [] });
  });

  it("of a group apply to members without their own, and show who spent most", async () => {
    const group = await site.database.db.userGroup.create({
      data: { symbol: "with-budget", name: "With budget" },
    });
    const [one, other] = [
      await site.makeUser({ group: group.symbol }),
      await site.makeUser({ group: group.symbol }),
    ];
    const budget = { ...none, weekly_spend: 1_000 };
    await admin.send("PUT", `/api/user_group/${group.id}/budget`, { budget });
    await spend(one, 300n);
    await spend(other, 700n);
    const view = await admin.get<BudgetView>(`/api/user/${one.id}/budget`);
    expect(view.body.data).toMatchObject({
      budget: null,
      inherited: budget,
      uses: [{ period: "week", used: 300 }],
    });
    const uses = async () => {
      const { body } = await admin.get<BudgetUses>(`/api/user_group/budgets?ids=${group.id}`);
      return body.data[group.id];
    };
    expect(await uses()).toMatchObject([{ used: 700, limit: 1_000 }]);
    await admin.send("PUT", `/api/user/${other.id}/budget`, { budget: none });
    expect(await uses()).toMatchObject([{ used: 300 }]);
    expect((await admin.get<BudgetView>(`/api/user/${other.id}/budget`)).body.data.uses).toEqual([]);
  });

  it("of an API key cannot be changed by its owner", async () => {
    const user = await site.makeUser();
    const owner = await site.as(user);
    const { id } = (await owner.send<{ id: number }>("POST", "/api/token", { name: "limited" })).body.data;
    const budget = { ...none, monthly_spend: 900 };
    expect((await owner.send("PUT", `/api/token/admin/${id}/budget`, { budget })).status).toBe(403);
    expect((await admin.send("PUT", `/api/token/admin/${id}/budget`, { budget })).status).toBe(200);
    await owner.send("PUT", `/api/token/${id}`, {
      name: "renamed",
      setting: { rates: { monthly_spend: 0 } },
    });
    const own = await owner.get<OwnBudget>("/api/user/self/budget");
    expect(own.body.data.tokens).toMatchObject({ [id]: [{ period: "month", limit: 900 }] });
  });

  it("cannot be changed by the account itself, by an equal, or without the permission", async () => {
    const other = await site.makeUser({ role: 10 });
    const limited = await site.as(await site.makeUser({ role: 10, permissions: { users: "view" } }));
    const user = await site.makeUser();
    const budget = { ...none, daily_spend: 1 };
    const status = async (who: Browser, id: number) =>
      (await who.send("PUT", `/api/user/${id}/budget`, { budget })).status;
    expect(await status(admin, adminUser.id)).toBe(403);
    expect(await status(admin, other.id)).toBe(403);
    expect(await status(limited, user.id)).toBe(403);
    expect(await status(await site.as(user), user.id)).toBe(403);
    expect(await status(root, other.id)).toBe(200);
    expect(await status(admin, 999_999)).toBe(404);
  });

  it("are validated: no negative amount, no notice above the limit, no unlimited list of ids", async () => {
    const { id } = await site.makeUser();
    const fields = async (budget: object) =>
      (await admin.send("PUT", `/api/user/${id}/budget`, { budget })).body.fields;
    expect(await fields({ daily_spend: -1 })).toHaveProperty("budget.daily_spend");
    expect(await fields({ daily_spend: 10, daily_notify: 11 })).toMatchObject({
      "budget.daily_notify": "The notice must not be above the limit",
    });
    const ids = Array.from({ length: 101 }, (_, index) => index + 1).join(",");
    expect((await admin.get(`/api/user/budgets?ids=${ids}`)).status).toBe(400);
    expect((await admin.get("/api/user/budgets?ids=1;2")).status).toBe(400);
  });

  it("notify operators once per period", async () => {
    const { db } = site.database;
    const user = await site.makeUser({ username: "big-spender" });
    await admin.send("PUT", `/api/user/${user.id}/budget`, { budget: { ...none, daily_notify: 100 } });
    const hour = new Date(new Date().setUTCMinutes(0, 0, 0));
    await db.usageHour.create({
      data: { hour, user_id: user.id, token_id: 0, channel_id: 0, model: "demo", group: "default" },
    });
    const notices = () => db.notice.findMany({ where: { event: "budget-reached" } });
    await spend(user, 99n);
    await collectBudgetNotices(db, site.services.settings.current());
    expect(await notices()).toEqual([]);
    await spend(user, 100n);
    await collectBudgetNotices(db, site.services.settings.current());
    await collectBudgetNotices(db, site.services.settings.current());
    expect(await notices()).toMatchObject([{ facts: { name: "big-spender", period: "day", limit: "" } }]);
    await db.user.update({ where: { id: user.id }, data: { budget: Prisma.DbNull } });
  });
});

describe("the time zone of the site", () => {
  it("is a region or UTC, because the database reads offsets with the other sign", async () => {
    const status = async (value: string) =>
      (await root.send("PUT", "/api/option", { key: "TimeZone", value })).status;
    expect(await status("+08:00")).toBe(400);
    expect(await status("Nowhere/Nothing")).toBe(400);
    expect(await status("Asia/Shanghai")).toBe(200);
    const user = await site.makeUser();
    const budget = { ...none, daily_spend: 5 };
    const { body } = await admin.send<BudgetView>("PUT", `/api/user/${user.id}/budget`, { budget });
    expect(body.data.time_zone).toBe("Asia/Shanghai");
    expect((body.data.uses[0]?.resets_at ?? 0) % 86_400).toBe(16 * 3_600);
    expect(await status("UTC")).toBe(200);
  });
});
