/**
 * Every screen that divides usage into days shows the same amounts for the same day, in any time zone, whether the hours
 * are already summed or not.
 */
import type { OwnPeriod, Period } from "@gateway/shared/usage/analytics";
import type { Dashboard } from "@gateway/shared/usage/dashboard";
import type { Insights } from "@gateway/shared/usage/insights";
import type { LogTotals } from "@gateway/shared/usage/log";
import type { ObjectUsage } from "@gateway/shared/usage/object-usage";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeHours } from "#domain/usage/close-hours.ts";
import { lastLocalDays } from "#platform/local-days.ts";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

const dayCount = 5;
const calls = 130;
/** Prime to the minutes of an hour and the hours of a day, so that the calls begin at many times of the day. */
const minutesApart = 53;

let gateway: TestGateway;
let user: number;
let token: number;
let channel: number;

beforeAll(async () => {
  gateway = await startTestGateway();
  user = (await gateway.api<{ id: number }>("GET", "/user/self")).id;
  token = (await gateway.addToken({ unlimited_quota: true })).id;
  channel = (await gateway.addChannel({ type: 1, name: "West" })).id;
  await seedCalls();
});
afterAll(() => gateway.stop());

/** Writes calls of the last days into the log, and their hours. Each one costs another amount; every seventh failed. */
async function seedCalls(): Promise<void> {
  await gateway.database.pool.query(
    `WITH calls AS (
       INSERT INTO request_logs (created_at, request_id, type, user_id, username, token_id, token_name, channel_id,
         model_name, "group", outcome, status, content, quota, prompt_tokens, completion_tokens, attempts)
       SELECT date_trunc('minute', now()) - n * $5 * interval '1 minute', 'call-' || n, CASE WHEN n % 7 = 0 THEN 5 ELSE 2 END,
         $1, 'root', $2, 'test', $3, 'model-' || n % 3, 'default', CASE WHEN n % 7 = 0 THEN 'failed' ELSE 'complete' END,
         200, '', CASE WHEN n % 7 = 0 THEN 0 ELSE 1000 + n END, n, n, '[]'
       FROM generate_series(1, $4::int) n
       RETURNING created_at, type, model_name, quota, prompt_tokens, completion_tokens
     )
     INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", request_count, failed_count, quota,
       prompt_tokens, completion_tokens)
     SELECT date_trunc('hour', created_at, 'UTC'), $1, $2, $3, model_name, 'default', count(*) FILTER (WHERE type = 2),
       count(*) FILTER (WHERE type = 5), sum(quota), sum(prompt_tokens), sum(completion_tokens)
     FROM calls GROUP BY 1, model_name`,
    [user, token, channel, calls, minutesApart],
  );
  // As after an import of older hours: none of them is summed yet.
  await gateway.database.pool.query("DELETE FROM usage_totals");
  await gateway.database.pool.query("DELETE FROM usage_progress");
}

type Sums = Record<string, number>;

function sumByDate<Row>(rows: readonly Row[], read: (row: Row) => [date: string, amount: number]): Sums {
  const sums: Sums = {};
  for (const row of rows) {
    const [date, amount] = read(row);
    if (amount !== 0) sums[date] = (sums[date] ?? 0) + amount;
  }
  return sums;
}

/** Returns the charges by day, by screen. */
async function readScreens(timeZone: string): Promise<Record<string, Sums>> {
  const { api } = gateway;
  const now = new Date();
  const days = lastLocalDays(dayCount, now, timeZone);
  const dates = new Set(days.map((day) => day.date));
  const starts = days.map((day) => Math.floor(day.start.getTime() / 1_000));
  const zone = `time_zone=${encodeURIComponent(timeZone)}`;
  const period = `start_timestamp=${starts[0]}&end_timestamp=${Math.ceil(now.getTime() / 1_000)}&${zone}`;
  const ofObject = async (path: string) => {
    const usage = await api<ObjectUsage>("GET", `${path}/usage?${zone}`);
    return sumByDate(
      usage.days.filter((day) => dates.has(day.date)),
      (day) => [day.date, day.charged],
    );
  };
  const ofPeriod = async (path: string, by: string) => {
    const { channel_statistics } = await api<Period | OwnPeriod>("GET", `${path}?${period}&group_type=${by}`);
    return sumByDate(channel_statistics, (row) => [row.Date, row.Quota]);
  };
  const insights = await api<Insights>("GET", `/analytics/insights?${period}`);
  const log: Sums = {};
  for (const [place, { date }] of days.entries()) {
    const until = starts[place + 1] === undefined ? "" : `&end_timestamp=${(starts[place + 1] ?? 0) - 1}`;
    const { quota } = await api<LogTotals>("GET", `/log/stat?start_timestamp=${starts[place]}${until}`);
    // The last day may have begun a moment ago.
    if (quota !== 0) log[date] = quota;
  }
  const dashboard = await api<Dashboard>("GET", `/user/dashboard?${zone}&days=${dayCount}`);
  const own = sumByDate(dashboard.usage, (row) => [row.date, row.quota]);
  // Rankings are of the whole period.
  expect(insights.channels.find(({ name }) => name === "West")?.quota).toBe(
    Object.values(own).reduce((total, charged) => total + charged, 0),
  );
  return {
    Own: own,
    "Usage by model": await ofPeriod("/user/period", "model"),
    "Usage by API key": await ofPeriod("/user/period", "token"),
    "Analytics by model": await ofPeriod("/analytics/period", "model"),
    "Analytics by channel": await ofPeriod("/analytics/period", "channel"),
    "Page of the account": await ofObject(`/user/${user}`),
    "Page of the API key": await ofObject(`/token/${token}`),
    "Page of the channel": await ofObject(`/channel/${channel}`),
    // Usage is stored by the hour. Where days do not begin with an hour of UTC, the log divides it more finely.
    ...(starts.every((start) => start % 3_600 === 0) ? { Log: log } : {}),
  };
}

const zones = ["UTC", "America/Los_Angeles", "Asia/Tokyo", "Pacific/Kiritimati", "Asia/Kolkata"];

describe("figures by day", () => {
  it.each(zones)("have one value on all screens in %s, before and after hours are summed", async (zone) => {
    const compare = async () => {
      const [first, ...others] = Object.entries(await readScreens(zone));
      expect(Object.keys(first?.[1] ?? {}).length).toBeGreaterThanOrEqual(dayCount - 1);
      for (const [screen, sums] of others)
        expect(sums, `${zone}: ${screen} and ${first?.[0]}`).toEqual(first?.[1]);
    };
    await compare();
    await closeHours(gateway.database.pool);
    await compare();
  });
});
