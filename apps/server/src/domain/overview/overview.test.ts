import { OVERVIEW_HOURS } from "@gateway/shared/usage/overview";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeHours } from "#domain/usage/close-hours.ts";
import type { Database } from "#platform/database/db.ts";
import { randomText } from "#platform/secrets.ts";
import { openTestDatabase } from "#test/database.ts";
import { createOverviewCache } from "./overview-cache.ts";
import { describeOverview } from "./overview.ts";

let database: Database;
let users: { id: number; username: string }[] = [];
const channels: number[] = [];

const hourMs = 3_600_000;
/** A quarter of the current hour has elapsed. */
const now = new Date("2026-04-03T10:15:00Z");
const settings = { current: () => ({ QuotaPerUnit: 500_000, PaymentUSDRate: 7 }) };
const overview = () => describeOverview({ ...database, settings }, now);

beforeAll(async () => {
  database = await openTestDatabase({ max: 4 });
  const { db } = database;
  for (let n = 0; n < 3; n += 1) {
    const username = `user-${randomText(8)}`;
    users.push(await db.user.create({ data: { username, aff_code: randomText(12) } }));
    const channel = await db.channel.create({ data: { type: 1, name: `channel ${n}` } });
    channels.push(channel.id);
  }
  await db.userGroup.createMany({
    data: [
      { symbol: "half", name: "half", ratio: "0.5" },
      { symbol: "gift", name: "gift", ratio: "0" },
    ],
    skipDuplicates: true,
  });
  await fill();
});
afterAll(async () => {
  await database.close();
});

/** Writes calls of the 60 hours before `now` to the log and, like the ledger, to the roll-up. */
async function fill(): Promise<void> {
  const { pool } = database;
  const free = "CASE WHEN n % 7 = 0 THEN 'gift' WHEN n % 7 < 4 THEN 'half' ELSE 'default' END";
  await pool.query(
    `INSERT INTO request_logs (created_at, request_id, type, user_id, channel_id, model_name, "group", quota,
       prompt_tokens, completion_tokens, request_time, first_byte_time, is_stream, error_code, status, attempts)
     SELECT $1::timestamptz - (1 + n * 7919 % (60 * 3600)) * interval '1 second', 'r' || n,
       CASE WHEN n % 5 = 3 THEN 5 ELSE 2 END, ($2::int[])[1 + n % 3],
       CASE WHEN n % 10 = 3 THEN 0 ELSE ($3::int[])[1 + n % 2] END, 'm' || n % 4, ${free},
       CASE WHEN n % 5 = 3 OR n % 7 = 0 THEN 0 ELSE n END, 11, 3, n % 900, n % 90, n % 2 = 0,
       CASE WHEN n % 10 = 3 THEN 'insufficient_quota' WHEN n % 5 = 3 THEN 'upstream_failed' ELSE '' END,
       CASE WHEN n % 10 = 3 THEN 402 WHEN n % 5 = 3 THEN 502 ELSE 200 END,
       CASE WHEN n % 11 = 0 THEN jsonb_build_array(
         jsonb_build_object('channel_id', ($3::int[])[3], 'result', 'server'),
         jsonb_build_object('channel_id', ($3::int[])[1 + n % 2], 'result', 'ok')) END
     FROM generate_series(1, 3000) n`,
    [now, users.map((user) => user.id), channels],
  );
  await pool.query(
    `INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", request_count, failed_count, quota,
       prompt_tokens, completion_tokens)
     SELECT date_trunc('hour', created_at, 'UTC'), user_id, 1, channel_id, model_name, "group",
       count(*) FILTER (WHERE type = 2), count(*) FILTER (WHERE type = 5), sum(quota), sum(prompt_tokens),
       sum(completion_tokens)
     FROM request_logs GROUP BY 1, 2, 4, 5, 6`,
  );
}

interface LogRow {
  at: number;
  type: number;
  user_id: number;
  channel_id: number;
  model: string;
  group: string;
  quota: number;
  tokens: number;
  duration: number;
  attempts: { channel_id: number; result: string }[] | null;
}

async function logRows(): Promise<LogRow[]> {
  const { rows } = await database.pool.query<LogRow>(
    `SELECT extract(epoch FROM created_at)::float8 * 1000 AS at, type, user_id, channel_id, model_name AS model, "group",
       quota::float8 AS quota, (prompt_tokens + completion_tokens)::float8 AS tokens, request_time AS duration, attempts
     FROM request_logs`,
  );
  return rows;
}

const begun = Math.floor(now.getTime() / hourMs) * hourMs;
const since = begun - (OVERVIEW_HOURS - 1) * hourMs;

/** Sums today's and yesterday's rows. Yesterday's last hour counts by a quarter, like today's. */
function compared(rows: LogRow[], of: (row: LogRow) => number): { now: number; before: number } {
  const sum = (from: number, to: number) =>
    rows.filter(({ at }) => at >= from && at < to).reduce((total, row) => total + of(row), 0);
  const cut = begun - OVERVIEW_HOURS * hourMs;
  return {
    now: sum(since, Infinity),
    before: Math.round(sum(since - 24 * hourMs, cut) + sum(cut, since) * 0.25),
  };
}

describe("overview", () => {
  it("matches the log row by row, with open and closed hours", async () => {
    const rows = await logRows();
    const ratio: Record<string, number> = { half: 0.5, gift: Infinity, default: 1 };
    const expected = {
      requests: compared(rows, () => 1),
      failed: compared(rows, (row) => Number(row.type === 5)),
      tokens: compared(rows, (row) => row.tokens),
      charged: compared(rows, (row) => row.quota),
      provider_cost: compared(rows, (row) => row.quota / (ratio[row.group] ?? 1)),
      free_requests: rows.filter((row) => row.at >= since && row.group === "gift" && row.type === 2).length,
    };
    expect(expected.requests.now).toBeGreaterThan(500);
    const open = await overview();
    expect(open.traffic).toMatchObject(expected);
    await closeHours(database.pool, new Date("2026-04-02T20:30:00Z"));
    const half = await overview();
    expect(half).toEqual(open);
    await closeHours(database.pool, now);
    expect(await overview()).toEqual(open);
    expect(open.traffic.hourly.requests.reduce((sum, count) => sum + count, 0)).toBe(expected.requests.now);
    expect(open.since * 1000).toBe(since);
  });

  it("shows failed calls and attempts by channel and hour", async () => {
    const rows = (await logRows()).filter((row) => row.at >= since);
    const { channels: health } = await overview();
    const hourOf = (row: LogRow) => Math.floor((row.at - since) / hourMs);
    const hourly = (list: LogRow[]) =>
      Array.from({ length: OVERVIEW_HOURS }, (_, hour) => list.filter((row) => hourOf(row) === hour).length);
    expect(health.total).toBe(3);
    for (const id of channels) {
      const ended = rows.filter((row) => row.channel_id === id);
      expect(health.rows.find((row) => row.id === id)).toMatchObject({
        requests: hourly(ended),
        failed: hourly(ended.filter((row) => row.type === 5)),
        rescued: hourly(
          rows.filter(({ attempts, channel_id }) =>
            attempts?.some((note) => note.result !== "ok" && note.channel_id === id && channel_id !== id),
          ),
        ),
        charged: ended.reduce((sum, row) => sum + row.quota, 0),
      });
    }
    const lastChannel = health.rows.find((row) => row.id === channels[2]);
    expect(lastChannel?.rescued.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(50);
  });

  it("contains percentiles of the newest calls, and reasons of failures", async () => {
    const rows = (await logRows()).filter((row) => row.at >= since);
    const durations = rows
      .filter((row) => row.type === 2)
      .map((row) => row.duration)
      .sort((a, b) => a - b);
    const { traffic } = await overview();
    expect(traffic.latency.now.calls).toBe(durations.length);
    const middle = durations[Math.floor((durations.length - 1) / 2)] ?? 0;
    expect(Math.abs((traffic.latency.now.p50 ?? 0) - middle)).toBeLessThan(5);
    expect(traffic.latency.now.p95).toBeGreaterThan(traffic.latency.now.p50 ?? Infinity);
    expect(traffic.latency.now.first_p95).toBeLessThan(90);
    const failed = rows.filter((row) => row.type === 5).length;
    const { reasons, complete } = traffic.failures;
    expect(complete).toBe(true);
    expect(reasons.map(({ code }) => code).sort()).toEqual(["insufficient_quota", "upstream_failed"]);
    expect(reasons.reduce((sum, reason) => sum + reason.count, 0)).toBe(failed);
  });

  it("ranks models and users by the change of their charges", async () => {
    const rows = await logRows();
    const { traffic } = await overview();
    const changeOf = ({ now: later, before }: { now: number; before: number }) => Math.abs(later - before);
    const byModel = ["m0", "m1", "m2", "m3"]
      .map((name) => ({
        name,
        ...compared(
          rows.filter((row) => row.model === name),
          (row) => row.quota,
        ),
      }))
      .sort((a, b) => changeOf(b) - changeOf(a));
    expect(traffic.models.map(({ requests: _requests, ...change }) => change)).toEqual(byModel);
    const names = new Map(users.map((user) => [user.id, user.username]));
    for (const { id, name, requests: _requests, ...change } of traffic.users) {
      expect(name).toBe(names.get(id));
      expect(change).toEqual(
        compared(
          rows.filter((row) => row.user_id === id),
          (row) => row.quota,
        ),
      );
    }
    expect(traffic.users).toHaveLength(3);
  });

  it("lists what needs attention", async () => {
    const { db, pool } = database;
    const disabled = await db.channel.create({
      data: { type: 1, name: "off", status: 3, status_reason: "Refused", status_time: now },
    });
    await db.channelModel.createMany({
      data: [
        { channel_id: channels[0] ?? 0, model: "priced-1" },
        { channel_id: channels[0] ?? 0, model: "unpriced" },
        { channel_id: channels[0] ?? 0, model: "wild-*" },
        { channel_id: disabled.id, model: "of a disabled channel" },
      ],
    });
    await db.price.create({ data: { model: "priced-*" } });
    await db.channel.update({
      where: { id: channels[1] ?? 0 },
      data: { balance: "0.5", balance_currency: "CNY", balance_updated_time: now },
    });
    await db.channel.update({
      where: { id: channels[0] ?? 0 },
      data: { balance: "5000", balance_updated_time: now },
    });
    await db.notice.createMany({
      data: [
        { event: "job-failed", topic: "sweep", facts: { job: "sweep", reason: "no space" }, repeats: 2 },
        { event: "channel-enabled", topic: "channel:1" },
        { event: "payment-trouble", topic: "old", created_time: new Date(Date.now() - 25 * hourMs) },
      ],
    });
    await pool.query("INSERT INTO audit_runs (checked, drift, detail) VALUES (3, 7, '[]')");
    const { attention } = await overview();
    expect(attention.map((item) => item.kind)).toEqual([
      "audit-drift",
      ...attention.filter((item) => item.kind === "channel-failing").map((item) => item.kind),
      "channel-disabled",
      "channel-balance",
      "notice",
      "unpriced",
      "balance-empty",
    ]);
    const of = (kind: string) => attention.find((item) => item.kind === kind);
    expect(of("channel-disabled")).toMatchObject({ id: disabled.id, reason: "Refused" });
    expect(of("channel-balance")).toMatchObject({ id: channels[1], currency: "CNY" });
    expect(of("notice")).toMatchObject({ event: "job-failed", name: "sweep", reason: "no space", count: 3 });
    expect(of("unpriced")).toMatchObject({ count: 1, models: ["unpriced"] });
    expect(of("audit-drift")).toMatchObject({ drift: 7 });
    await pool.query("DELETE FROM audit_runs");
    expect((await overview()).attention.map((item) => item.kind)).not.toContain("audit-drift");
  });

  it("reports a channel as failing only when a fifth of its latest calls failed", async () => {
    const { pool } = database;
    const use = (channel: number, good: number, failed: number) =>
      pool.query(
        `INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", request_count, failed_count)
         VALUES ($1, 1, 1, $2, 'attention', 'default', $3, $4)`,
        [new Date(begun), channel, good, failed],
      );
    const made = async (name: string) => (await database.db.channel.create({ data: { type: 1, name } })).id;
    const [bad, good, quiet] = [await made("bad"), await made("good"), await made("quiet")];
    await use(bad, 79, 21);
    await use(good, 81, 19);
    await use(quiet, 0, 4);
    const { attention } = await overview();
    const failing = attention.flatMap((item) => (item.kind === "channel-failing" ? [item] : []));
    expect(failing.find((item) => item.id === bad)).toMatchObject({ failed: 21, requests: 100 });
    expect(failing.map((item) => item.id)).not.toContain(good);
    expect(failing.map((item) => item.id)).not.toContain(quiet);
  });

  it("is computed once for all readers within seconds, and again after a failure", async () => {
    let clock = 0;
    let broken = false;
    let computed = 0;
    const counting = new Proxy(database.pool, {
      get(pool, name, receiver) {
        if (name !== "query") return Reflect.get(pool, name, receiver) as unknown;
        return (...query: Parameters<typeof pool.query>) => {
          if (query[0].includes("usage_progress")) computed += 1;
          return broken ? Promise.reject(new Error("broken")) : pool.query(...query);
        };
      },
    });
    const cache = createOverviewCache({ db: database.db, pool: counting, settings }, () => clock);
    const [first, second] = await Promise.all([cache.read(), cache.read()]);
    expect(first).toBe(second);
    expect(computed).toBe(1);
    clock = 2_999;
    expect(await cache.read()).toBe(first);
    clock = 3_000;
    expect(await cache.read()).not.toBe(first);
    expect(computed).toBe(2);
    clock = 10_000;
    broken = true;
    await expect(cache.read()).rejects.toThrow("broken");
    broken = false;
    await expect(cache.read()).resolves.toBeDefined();
  });
});
