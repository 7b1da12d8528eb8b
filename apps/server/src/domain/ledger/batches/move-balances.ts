import { columns, usageHours } from "./statements.ts";

/** Final part of every batch: writes `moved` and `closed` to accounts, tokens, channels, log and roll-up. */

/**
 * First part of every batch. Periods of spending limits begin at midnight in the site's time zone; weeks
 * begin on Monday. All nodes use the database's clock.
 */
export const clock = `clock AS MATERIALIZED (
  SELECT zone, day, date_trunc('week', day)::date AS week, date_trunc('month', day)::date AS month
  FROM (SELECT zone, (now() AT TIME ZONE zone)::date AS day FROM site_time_zone() AS zone) d
)`;

/** Returns the SQL for what an account or token has spent in a period, by the day of its last charge. */
export function spentInPeriod(row: string, period: "day" | "week" | "month", now = "k"): string {
  return `CASE WHEN ${row}.spent_day >= ${now}.${period} THEN ${row}.${period}_quota ELSE 0 END`;
}

/** Writes `moved` to the locked rows of accounts and tokens. */
export const accountMoves = `), move_user AS (
  UPDATE users u SET reserved = u.reserved + s.held, leased = u.leased + s.leased, quota = u.quota - s.charge,
    used_quota = u.used_quota + s.charge, request_count = u.request_count + s.served,
    -- A statement that began before midnight may come after one that began after it: the day never goes back.
    spent_day = GREATEST(u.spent_day, k.day), day_quota = ${spentInPeriod("u", "day")} + s.charge,
    week_quota = ${spentInPeriod("u", "week")} + s.charge, month_quota = ${spentInPeriod("u", "month")} + s.charge
  FROM (
    SELECT user_id, sum(held)::bigint AS held, sum(leased)::bigint AS leased, sum(charge)::bigint AS charge,
      sum(served) AS served, sum(ended) AS ended
    FROM moved GROUP BY user_id
  ) s, clock k WHERE u.id = s.user_id AND (s.held <> 0 OR s.leased <> 0 OR s.ended > 0)
), move_token AS (
  UPDATE tokens t SET reserved = t.reserved + s.held, leased = t.leased + s.leased, open_calls = t.open_calls + s.slots,
    used_quota = t.used_quota + s.charge,
    accessed_time = CASE WHEN s.used > 0 THEN now() ELSE t.accessed_time END,
    remain_quota = CASE WHEN t.unlimited_quota THEN t.remain_quota ELSE t.remain_quota - s.charge END,
    spent_day = GREATEST(t.spent_day, k.day), spent_month = GREATEST(t.spent_month, k.month),
    day_quota = ${spentInPeriod("t", "day")} + s.charge, week_quota = ${spentInPeriod("t", "week")} + s.charge,
    month_quota = ${spentInPeriod("t", "month")} + s.charge
  FROM (
    SELECT token_id, sum(token_held)::bigint AS held, sum(token_leased)::bigint AS leased, sum(slots)::int AS slots,
      sum(charge)::bigint AS charge, sum(ended) AS ended, sum(used) AS used
    FROM moved GROUP BY token_id
  ) s, clock k WHERE t.id = s.token_id AND (s.held <> 0 OR s.leased <> 0 OR s.slots <> 0 OR s.ended > 0)
`;

/** Writes `closed`, whose charges are booked elsewhere. */
export const records = `), charge_channel AS (
  INSERT INTO channel_charges (channel_id, quota)
  SELECT channel_id, sum(quota)::bigint FROM closed WHERE quota > 0 GROUP BY channel_id
), log AS (
  INSERT INTO request_logs (${columns}) SELECT ${columns} FROM closed ORDER BY ord
), hours AS (${usageHours("closed")}
)`;

export const moves = `${accountMoves}${records}`;
