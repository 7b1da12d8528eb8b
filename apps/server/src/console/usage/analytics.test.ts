import type { Period, SiteStatistics, UserUsage } from "@gateway/shared/usage/analytics";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Browser, buildConsole, type TestConsole, version2 } from "#test/console.ts";

let site: TestConsole;
let admin: Browser;

beforeAll(async () => {
  site = await buildConsole();
  admin = await site.as(await site.makeUser({ role: 10, username: "boss" }));
});
afterAll(() => site.close());

const paths = [
  "/api/analytics/statistics",
  "/api/analytics/period?start_timestamp=1&end_timestamp=2",
  "/api/analytics/auto_disabled?start_timestamp=1&end_timestamp=2",
  "/api/analytics/insights?start_timestamp=1&end_timestamp=2",
  "/api/analytics/multi_user_stats?usernames=a&start_time=2026-01-01&end_time=2026-01-02",
  "/api/analytics/multi_user_stats/export?usernames=a&start_time=2026-01-01&end_time=2026-01-02",
  "/api/analytics/statements",
  "/api/analytics/statements/users?date=2026-01",
  "/api/analytics/statements/detail?date=2026-01&user_id=1",
];

describe("analytics", () => {
  it("are for administrators", async () => {
    const user = await site.as(await site.makeUser());
    for (const path of paths) {
      expect((await user.get(path)).status, path).toBe(403);
      expect((await site.guest.get(path)).status, path).toBe(401);
    }
  });

  it("show the total of balances, the users, and the time of the last audit", async () => {
    const { db } = site.services;
    const rich = await site.makeUser({ balance: 700n });
    await site.makeUser({ balance: 300n, inviter_id: rich.id });
    const before = (await admin.get<SiteStatistics>("/api/analytics/statistics")).body.data;
    expect(before).toMatchObject({
      user_statistics: { total_quota: 1_000, total_inviter_user: 1 },
      order_statistics: [],
      rate: { rpm: 0, tpm: 0 },
      audit: null,
    });
    await db.auditRun.create({ data: { checked: 3, drift: 0n, detail: [] } });
    const after = (await admin.get<SiteStatistics>("/api/analytics/statistics")).body.data;
    expect(after.audit).toMatchObject({ checked: 3, drift: 0 });
  });

  it("show the credits of a period by kind, and new accounts", async () => {
    const user = await site.makeUser({ balance: 40n });
    const now = Math.floor(Date.now() / 1000);
    const { body } = await admin.get<Period>(
      `/api/analytics/period?start_timestamp=${now - 3_600}&end_timestamp=${now + 60}&user_id=${user.id}`,
    );
    expect(body.data.credit_statistics).toMatchObject([{ kind: "gift", quota: 40, user_count: 1 }]);
    expect(body.data.user_statistics).toMatchObject([{ user_count: 1, inviter_user_count: 0 }]);
  });

  it("reject a period that ends before it begins, is too long, or has an unknown time zone", async () => {
    const ask = async (query: string) => (await admin.get(`/api/analytics/period?${query}`)).body;
    expect(await ask("start_timestamp=10&end_timestamp=10")).toMatchObject({
      success: false,
      fields: { end_timestamp: "The end must be later than the start" },
    });
    expect(await ask(`start_timestamp=0&end_timestamp=${400 * 86_400}`)).toMatchObject({
      fields: { start_timestamp: "A period has at most 366 days" },
    });
    expect(await ask("start_timestamp=0&end_timestamp=1&time_zone=Mars/Phobos")).toMatchObject({
      fields: { time_zone: "This is not the name of a time zone" },
    });
  });

  it("list the channels that the gateway disabled in the period, not those that someone disabled", async () => {
    const { db } = site.services;
    const channel = await db.channel.create({ data: { type: 900, name: "West" } });
    const event = (kind: string, day: string) =>
      db.channelEvent.create({ data: { channel_id: channel.id, kind, created_time: new Date(day) } });
    await event("auto-disabled", "2026-02-01T12:00:00Z");
    await event("auto-disabled", "2026-02-03T12:00:00Z");
    await event("disabled", "2026-02-01T13:00:00Z");
    const [start, end] = ["2026-02-01", "2026-02-02"].map((day) => Date.parse(day) / 1000);
    const { body } = await admin.get(
      `/api/analytics/auto_disabled?start_timestamp=${start}&end_timestamp=${end}`,
    );
    expect(body.data).toEqual([
      {
        created_time: Date.parse("2026-02-01T12:00:00Z") / 1000,
        channel_id: channel.id,
        channel_name: "West",
      },
    ]);
  });

  it("compare given users, as JSON with their models and as CSV without formulas", async () => {
    const user = await site.makeUser({ username: "=cmd" });
    await site.database.pool.query(
      `INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", request_count, quota)
       VALUES ('2026-01-31T16:00:00Z', $1, 1, 1, 'gpt', 'default', 2, 30)`,
      [user.id],
    );
    const query = "usernames=%3Dcmd,boss,nobody&start_time=2026-02-01&end_time=2026-02-01";
    const url = `/api/analytics/multi_user_stats?${query}&time_zone=Asia/Shanghai`;
    const { body } = await admin.get<UserUsage[]>(url);
    expect(body.data.map((row) => [row.username, row.request_count, row.quota])).toEqual([
      ["=cmd", 2, 30],
      ["boss", 0, 0],
    ]);
    expect(body).toMatchObject({ model_usage: [{ username: "=cmd", model_name: "gpt", request_count: 2 }] });
    const file = await site.app.inject({
      url: `/api/analytics/multi_user_stats/export?${query}&time_zone=Asia/Shanghai`,
      headers: { ...version2, cookie: `session=${admin.cookie ?? ""}` },
    });
    expect(file.headers["content-type"]).toBe("text/csv; charset=utf-8");
    expect(file.headers["content-disposition"]).toContain("multi_user_stats_2026-02-01_2026-02-01.csv");
    expect(file.body.split("\r\n")[1]).toBe("'=cmd,2,30,0,0,0");
    expect(
      (await admin.get("/api/analytics/multi_user_stats?usernames=a&start_time=x&end_time=y")).status,
    ).toBe(400);
  });
});

describe("statements over the API", () => {
  it("show the own months only", async () => {
    const [anna, bert] = [await site.makeUser(), await site.makeUser()];
    await site.services.db.statement.create({
      data: { month: new Date("2026-03-01"), user_id: anna.id, model: "m", quota: 5n, request_count: 1n },
    });
    const own = await (await site.as(anna)).get("/api/user/invoice");
    expect(own.body.data).toMatchObject({ data: [{ date: "2026-03-01", quota: 5 }], total_count: 1 });
    const detail = await (await site.as(anna)).get("/api/user/invoice/detail?date=2026-03-01");
    expect(detail.body.data).toMatchObject([{ model_name: "m", quota: 5 }]);
    const other = await site.as(bert);
    expect((await other.get("/api/user/invoice")).body.data).toMatchObject({ data: [] });
    expect((await other.get("/api/user/invoice/detail?date=2026-03-01")).body.data).toEqual([]);
    expect((await other.get("/api/user/invoice/detail?date=March")).status).toBe(400);
    const seen = await admin.get(`/api/analytics/statements/detail?date=2026-03&user_id=${anna.id}`);
    expect(seen.body.data).toMatchObject([{ model_name: "m" }]);
  });

  it("are created by hand by root only", async () => {
    await site.database.pool.query(
      `INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", request_count, quota)
       VALUES ('2026-02-03T10:00:00Z', 1, 1, 1, 'gpt', 'default', 2, 30)`,
    );
    const root = await site.as(await site.makeUser({ role: 100, username: "chief" }));
    const make = "/api/option/invoice/gen/2026-02-01";
    expect((await admin.send("POST", make)).status).toBe(403);
    expect((await root.send("POST", make)).body.data).toMatchObject({
      date: "2026-02-01",
      users: 1,
      quota: 30,
    });
    expect((await root.send("POST", make)).status).toBe(409);
    expect((await root.send("POST", "/api/option/invoice/update/2026-02")).status).toBe(200);
    expect((await root.send("POST", "/api/option/invoice/gen/tomorrow")).status).toBe(400);
  });
});
