import type { ChannelHours, ObjectUsage } from "@gateway/shared/usage/object-usage";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { User } from "#platform/prisma/client.ts";
import { type Browser, buildConsole, type TestConsole } from "#test/console.ts";

let site: TestConsole;
let admin: Browser;
let customer: User;
let channel: number;
let token: number;

beforeAll(async () => {
  site = await buildConsole();
  const { db } = site.services;
  admin = await site.as(await site.makeUser({ role: 10 }));
  customer = await site.makeUser();
  channel = (await db.channel.create({ data: { type: 1, name: "one" } })).id;
  const browser = await site.as(customer);
  token = (await browser.send<{ id: number }>("POST", "/api/token", { name: "t" })).body.data.id;
  await fill();
});
afterAll(() => site.close());

/**
 * Writes 100 calls of the customer, one every ten minutes, half through the token; every tenth failed. Plus
 * ten of another user.
 */
async function fill(): Promise<void> {
  const { pool } = site.database;
  await pool.query(
    `INSERT INTO request_logs (created_at, request_id, type, user_id, token_id, channel_id, model_name, quota, error_code,
       status, prompt_tokens, completion_tokens, request_time, first_byte_time, is_stream)
     SELECT now() - interval '1 minute' - n * interval '10 minutes', 'r' || n, CASE WHEN n % 10 = 0 THEN 5 ELSE 2 END,
       CASE WHEN n < 100 THEN $1::int ELSE 77 END, CASE WHEN n % 2 = 0 THEN $2::int ELSE 999 END, $3, 'm' || n % 2, n,
       CASE WHEN n % 10 = 0 THEN 'upstream_failed' ELSE '' END, CASE WHEN n % 10 = 0 THEN 502 ELSE 200 END, 5, 5, 1000, 100,
       true
     FROM generate_series(0, 109) n`,
    [customer.id, token, channel],
  );
  await pool.query(
    `INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", request_count, failed_count, quota,
       prompt_tokens, completion_tokens)
     SELECT date_trunc('hour', created_at, 'UTC'), user_id, token_id, channel_id, model_name, 'default',
       count(*) FILTER (WHERE type = 2), count(*) FILTER (WHERE type = 5), sum(quota), sum(prompt_tokens),
       sum(completion_tokens)
     FROM request_logs GROUP BY 1, 2, 3, 4, 5`,
  );
}

const sum = (values: number[] | undefined) => (values ?? []).reduce((total, value) => total + value, 0);
const usage = async (path: string, who = admin) =>
  (await who.get<ObjectUsage>(`${path}?time_zone=Asia/Tokyo`)).body.data;

describe("the usage of a single object", () => {
  it("of a channel covers all accounts' calls", async () => {
    const found = await usage(`/api/channel/${channel}/usage`);
    expect([sum(found.requests), sum(found.failed)]).toEqual([110, 11]);
    expect(sum(found.days.map((day) => day.requests))).toBe(110);
    expect(found.latency).toMatchObject({ calls: 99, p50: 1000, first_p50: 100 });
    expect(found.failures).toMatchObject({
      reasons: [{ code: "upstream_failed", count: 11, users: 2 }],
      complete: true,
    });
    expect(found.last_failed).toMatchObject({ request_id: "r0", model: "m0", status: 502 });
    expect(found.models.map(({ name }) => name).sort()).toEqual(["m0", "m1"]);
  });

  it("of an account covers it, and of a token covers that alone", async () => {
    const account = await usage(`/api/user/${customer.id}/usage`);
    expect([sum(account.requests), sum(account.failed)]).toEqual([100, 10]);
    expect(sum(account.days.map((day) => day.tokens))).toBe(1_000);
    const own = await usage(`/api/token/${token}/usage`, await site.as(customer));
    expect([sum(own.requests), sum(own.failed), own.latency.calls]).toEqual([50, 10, 40]);
    expect(sum(own.days.map((day) => day.requests))).toBe(50);
    expect(sum(own.charged)).toBe(sum(own.days.map((day) => day.charged)));
    expect(await usage(`/api/token/admin/${token}/usage`)).toMatchObject({ requests: own.requests });
  });

  it("is shown to its owner and to administrators with the permission, and to no one else", async () => {
    const other = await site.as(await site.makeUser());
    const status = async (path: string, who: Browser) => (await who.get(path)).status;
    expect(await status(`/api/token/${token}/usage`, other)).toBe(404);
    expect(await status(`/api/token/admin/${token}/usage`, other)).toBe(403);
    expect(await status(`/api/channel/${channel}/usage`, other)).toBe(403);
    expect(await status(`/api/user/${customer.id}/usage`, other)).toBe(403);
    expect(await status(`/api/user/${customer.id}/usage`, site.guest)).toBe(401);
    const equal = await site.makeUser({ role: 10 });
    expect(await status(`/api/user/${equal.id}/usage`, admin)).toBe(403);
    expect(await status("/api/channel/987654/usage", admin)).toBe(404);
    expect(await status("/api/user/987654/usage", admin)).toBe(404);
    expect(await status("/api/token/admin/987654/usage", admin)).toBe(404);
    expect(await status(`/api/channel/${channel}/usage?time_zone=Mars`, admin)).toBe(400);
  });

  it("of all channels in a list is returned with one request", async () => {
    const { body } = await admin.get<ChannelHours>(`/api/channel/health?ids=${channel},987654`);
    const [first, second] = body.data.channels;
    expect([sum(first?.requests), sum(first?.failed)]).toEqual([110, 11]);
    expect(first?.last_failed).toMatchObject({ request_id: "r0", code: "upstream_failed" });
    expect(second).toMatchObject({ id: 987654, last_failed: null });
    expect((await admin.get("/api/channel/health?ids=1,x")).status).toBe(400);
  });
});
