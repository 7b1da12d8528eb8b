import { afterAll, beforeAll, expect, it } from "vitest";
import { type Browser, buildConsole, type TestConsole } from "#test/console.ts";

/** Sums that exceed what a JSON number holds exactly must not make a screen fail for good. */
let site: TestConsole;
let root: Browser;
const largest = BigInt(Number.MAX_SAFE_INTEGER);

beforeAll(async () => {
  site = await buildConsole();
  const { db } = site.services;
  const boss = await site.makeUser({ role: 100, quota: largest, used_quota: largest });
  root = await site.as(boss);
  const user = await site.makeUser({ quota: largest, used_quota: largest });
  const codes = await root.send("POST", "/api/redemption", { name: "large", quota: 1, count: 2 });
  expect(codes.status).toBe(200);
  await db.redemption.updateMany({
    data: { quota: largest, status: 3, redeemed_by: user.id, redeemed_time: new Date() },
  });
  await db.ledgerEntry.createMany({
    data: ["a", "b"].map((reference) => ({ user_id: user.id, kind: "gift", amount: largest, reference })),
  });
  await db.auditRun.create({ data: { checked: 2, drift: 2n * largest, detail: [] } });
  await db.usageHour.createMany({
    data: [boss, user].map(({ id }) => ({
      hour: new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000),
      user_id: id,
      token_id: 1,
      channel_id: 1,
      model: "large",
      group: "default",
      request_count: 1n,
      quota: largest,
      prompt_tokens: largest,
      completion_tokens: largest,
      cached_tokens: largest,
    })),
  });
});
afterAll(() => site.close());

const now = Math.floor(Date.now() / 1000);
const period = `start_timestamp=${now - 86_400}&end_timestamp=${now + 60}`;
const day = new Date().toISOString().slice(0, 10);

it.each([
  "/api/analytics/statistics",
  `/api/analytics/period?${period}`,
  `/api/analytics/insights?${period}`,
  `/api/analytics/multi_user_stats?usernames=root&start_time=${day}&end_time=${day}`,
  `/api/analytics/statements/users?date=${day.slice(0, 7)}`,
  "/api/overview",
  "/api/user",
  "/api/redemption",
  "/api/user/self",
  "/api/user/dashboard",
  "/api/channel",
])("%s works when sums exceed the exact range of JSON numbers", async (url) => {
  for (const version of ["2", "1"]) {
    const headers = {
      "api-version": version,
      cookie: `session=${root.cookie}`,
      "x-forwarded-for": "10.1.1.1",
    };
    const response = await site.app.inject({ url, headers });
    expect(response.statusCode, response.body).toBe(200);
    expect(response.headers["api-status"] ?? "200", response.body).toBe("200");
  }
});
