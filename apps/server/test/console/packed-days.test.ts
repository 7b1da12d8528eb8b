/** Usage of old days is the same for every reader after it is packed, to the last unit, in any time zone. */
import { LogFacetsQuery, LogQuery } from "@gateway/shared/usage/log";
import { afterAll, beforeAll, expect, it } from "vitest";
import { systemActor } from "#domain/audit-log/audit.ts";
import { describeOwnBudget } from "#domain/budgets/account-budget.ts";
import { audit } from "#domain/ledger/balances/audit.ts";
import { logFacets } from "#domain/logs/facets.ts";
import { totalLogs } from "#domain/logs/totals.ts";
import { flowsOf } from "#domain/overview/flows.ts";
import { describeUsageOf } from "#domain/overview/object-usage.ts";
import { closeHours } from "#domain/usage/close-hours.ts";
import { closeMonthByHand, closeMonths } from "#domain/usage/close-months.ts";
import { compareUsers } from "#domain/usage/compare-users.ts";
import { packDays } from "#domain/usage/days/pack-days.ts";
import { dropUserHours } from "#domain/usage/drop-user-hours.ts";
import { ownUsage, usedYesterday } from "#domain/usage/own-usage.ts";
import { describeOwnPeriod, describePeriod } from "#domain/usage/period.ts";
import { runningStatement, statementLines } from "#domain/usage/statements.ts";
import type { Database } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";

const hourMs = 3_600_000;
const dayCount = 40;
const dayMs = 24 * hourMs;
/** End of the data: the current hour, so that readers with a clock of their own see it. */
const end = Math.floor(Date.now() / hourMs) * hourMs;
const first = new Date(end - dayCount * dayMs);
const zones = ["UTC", "Asia/Shanghai", "Asia/Kolkata", "America/New_York"];
const usernames = ["anna", "bert", "cleo"];

let database: Database;

beforeAll(async () => {
  database = await openTestDatabase({ max: 4 });
  const { db, pool } = database;
  for (const [place, username] of usernames.entries())
    await db.user.create({
      data: { id: place + 1, username, aff_code: username, created_time: first },
    });
  // Several rows in most days, tokens with several models, and two nodes that wrote the same hour.
  await pool.query(
    `INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", request_count, failed_count, quota,
       prompt_tokens, completion_tokens, cached_tokens, request_time, first_byte_time, part)
     SELECT $1::timestamptz + n / 3 * interval '1 hour', 1 + n * 7 % 3, 1 + n * 7 % 3 * 2 + n % 2, 1 + n % 4, 'model-' || n % 5,
       (ARRAY['default', 'vip'])[1 + n % 2], 1 + n % 9, n % 3, n * 31 % 9973, n % 4001, n % 307, n % 53, n % 60013, n % 2003, p
     FROM generate_series(0, $2::int * 24 * 3 - 1) n, generate_series(0, 1) p WHERE p = 0 OR n % 10 = 0`,
    [first, dayCount],
  );
  // The list of the log begins here, so sums of its filters do, too.
  await pool.query(
    "INSERT INTO request_logs (created_at, request_id, type, user_id, content) VALUES ($1, 'first', 4, 1, '')",
    [first],
  );
  await closeHours(pool);
  await closeMonths(db);
});
afterAll(async () => {
  await database.close();
});

/** Everything that reads usage by the hour. Periods begin and end in the middle of days of UTC. */
async function readAll(): Promise<unknown> {
  const { db, pool } = database;
  const now = new Date(end - 5 * hourMs);
  const period = {
    from: new Date(end - 31 * dayMs - 5 * hourMs),
    to: new Date(end - 4 * dayMs - 2 * hourMs),
  };
  const month = new Date(first.getTime() + 15 * dayMs).toISOString().slice(0, 7);
  const read: unknown[] = [];
  for (const timeZone of zones) {
    for (const userId of [undefined, 2]) {
      for (const groupType of timeZone === "UTC"
        ? (["channel", "group"] as const)
        : (["model", "user"] as const))
        read.push(await describePeriod(database, { ...period, timeZone, groupType, userId }, now));
    }
    for (const groupType of ["token", "model"] as const)
      read.push(await describeOwnPeriod(database, { ...period, timeZone, groupType, userId: 1 }, now));
    read.push(await ownUsage(pool, { userId: 1, timeZone, days: 30, now }));
    read.push(await usedYesterday(pool, { userId: 1, timeZone, now: new Date(end - 10 * dayMs) }));
    for (const measured of [{ user: 3 }, { user: 3, token: 5 }, { channel: 2 }])
      read.push(await describeUsageOf(pool, measured, timeZone, now));
    const [start_time, end_time] = [period.from, period.to].map((at) => at.toISOString().slice(0, 10));
    read.push(
      await compareUsers(pool, {
        usernames: [...usernames, "unknown"],
        start_time: start_time ?? "",
        end_time: end_time ?? "",
        time_zone: timeZone,
      }),
    );
    read.push((await describeOwnBudget(db, 1, timeZone)).month.averaged_days);
  }
  for (const to of [period.to, new Date(period.from.getTime() + 5 * hourMs)])
    read.push(await flowsOf(pool, { from: period.from, to }));
  read.push(await runningStatement(pool, 1, new Date(first.getTime() + 15 * dayMs)));
  read.push(await statementLines(pool, 1, month));
  for (const filter of [
    {},
    { username: "bert" },
    { username: "bert", model_name: "model-3" },
    { channel_id: 2 },
  ]) {
    const times = {
      start_timestamp: period.from.getTime() / 1000,
      end_timestamp: period.to.getTime() / 1000,
    };
    read.push(await totalLogs(pool, { of: "everybody" }, LogQuery.parse({ ...filter, ...times })));
    read.push(
      (await logFacets(pool, { of: "everybody" }, LogFacetsQuery.parse({ ...filter, ...times }))).histogram,
    );
  }
  read.push(await audit(pool));
  return read;
}

const remaining = async () => {
  const { rows } = await database.pool.query<{ hours: number; days: number; since: Date | null }>(
    `SELECT (SELECT count(*)::int FROM usage_hours) AS hours, (SELECT count(*)::int FROM usage_days) AS days,
       (SELECT min(hour) FROM usage_hours) AS since`,
  );
  return rows[0];
};

it("packed days leave every sum as it was, and stay out of the hours that are summed again", async () => {
  const { db, pool } = database;
  const before = await readAll();
  expect(await packDays(pool, AbortSignal.abort())).toBe(0);
  expect(await packDays(pool)).toBeGreaterThan(1_000);
  const left = await remaining();
  expect(left?.since?.getTime()).toBe(Math.floor((end - 49 * hourMs) / dayMs) * dayMs);
  expect(await packDays(pool)).toBe(0);
  await dropUserHours(pool);
  expect(await readAll()).toEqual(before);

  // Sums that are made again from packed days.
  const month = first.toISOString().slice(0, 7);
  const statement = await statementLines(pool, 1, month);
  expect(statement.length).toBeGreaterThan(0);
  await closeMonthByHand(db, systemActor, { month, again: true });
  expect(await statementLines(pool, 1, month)).toEqual(statement);
  await pool.query("DELETE FROM usage_totals");
  await pool.query("DELETE FROM usage_progress");
  expect(await readAll()).toEqual(before);
  await closeHours(pool);
  expect(await readAll()).toEqual(before);
});

it("a charge that settles after its day was packed is counted, and packed by the next run", async () => {
  const { pool } = database;
  const hour = new Date(Math.floor((end - 20 * dayMs) / dayMs) * dayMs + 5 * hourMs);
  const spent = async () => {
    const { rows } = await pool.query<{ sums: bigint; hours: bigint }>(
      `SELECT (SELECT sum(quota)::bigint FROM usage_sums($1, $2) WHERE user_id = 1) AS sums,
         (SELECT sum(quota)::bigint FROM usage_by_hour($1, $2) WHERE user_id = 1) AS hours`,
      [hour, new Date(hour.getTime() + hourMs)],
    );
    return rows[0] ?? { sums: 0n, hours: 0n };
  };
  const before = await spent();
  expect(before.sums).toBe(before.hours);
  await pool.query(
    `INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", request_count, quota)
     VALUES ($1, 1, 1, 1, 'model-0', 'default', 1, 77)`,
    [hour],
  );
  const after = { sums: before.sums + 77n, hours: before.hours + 77n };
  expect(await spent()).toEqual(after);
  expect(await packDays(pool)).toBe(1);
  expect(await spent()).toEqual(after);
});

it("an hour whose counters are too large for the packed form stays as it is", async () => {
  const { pool } = database;
  const hour = new Date(Math.floor((end - 15 * dayMs) / dayMs) * dayMs + 3 * hourMs);
  await pool.query(
    `INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", request_count, quota)
     VALUES ($1, 1, 1, 1, 'large', 'default', 1, 5000000000), ($1, 1, 1, 1, 'odd', 'default', 1, -3000000000),
       ($1, 1, 1, 1, 'fits', 'default', 1, 2147483647)`,
    [hour],
  );
  expect(await packDays(pool)).toBe(1);
  const { rows } = await pool.query(
    `SELECT model, sum(quota)::bigint AS quota FROM usage_sums($1, $2) WHERE model IN ('large', 'odd', 'fits')
     GROUP BY 1 ORDER BY 1`,
    [new Date(hour.getTime() - dayMs), new Date(hour.getTime() + dayMs)],
  );
  expect(rows).toEqual([
    { model: "fits", quota: 2_147_483_647n },
    { model: "large", quota: 5_000_000_000n },
    { model: "odd", quota: -3_000_000_000n },
  ]);
});
