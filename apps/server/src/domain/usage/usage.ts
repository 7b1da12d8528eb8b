/**
 * Usage of a period: closed hours from usage_totals, later ones by the hour, never from the log. An hour
 * belongs to the day in which it begins.
 */
import type { UsageSum } from "@gateway/shared/usage/analytics";
import type { Pool, Reader } from "#platform/database/db.ts";
import type { LocalDay } from "#platform/local-days.ts";
import { type CounterRow, counterColumns, counterSums, type Dimension, keyOf, sumOf } from "./counters.ts";
import { firstHourFrom } from "./hours-of-period.ts";
import { piecesOf, type Span } from "./pieces.ts";

/**
 * Returns the end of the complete part of usage_totals. Hours that are closed meanwhile have no effect: both
 * tables contain the same sums.
 */
export async function closedUntil(reader: Reader): Promise<Date> {
  const { rows } = await reader.query<{ closed_until: Date }>("SELECT closed_until FROM usage_progress");
  return rows[0]?.closed_until ?? new Date(0);
}

export interface DayUsage extends UsageSum {
  /** Index into the requested days. */
  day: number;
  key: string;
}

/** Rows of one split over `span`: from the stored sums until `closed`, then from the hours. */
interface SplitQuery {
  by: Dimension;
  span: Span;
  closed: Date;
  /** Restricts the result to these keys. */
  only?: readonly string[];
}

/** Returns SQL with `hour`, `key` and the given counters. It uses the parameters $1 to $6. */
function rowsOf(
  { by, span, closed, only }: SplitQuery,
  cuts: readonly Date[],
  columns: string,
): { sql: string; values: unknown[] } {
  // A local day may begin between two hours.
  const from = firstHourFrom(span.from);
  const open = from > closed ? from : closed;
  const pieces = piecesOf({ from, to: span.to < closed ? span.to : closed }, cuts);
  const [kept, late] =
    only === undefined
      ? ["$6::text[] IS NULL", "$6::text[] IS NULL"]
      : ["t.key = ANY($6)", by === "user" ? "user_id = ANY($6::int[])" : `${keyOf[by]} = ANY($6)`];
  return {
    sql: `
      SELECT t.starts AS hour, t.key, ${columns} FROM unnest($1::text[], $2::timestamptz[]) p(span, starts)
        JOIN usage_totals t ON t.kind = $3 AND t.span = p.span AND t.starts = p.starts
       WHERE ${kept}${by === "user" ? " AND p.span <> 'hour'" : ""}
      ${by === "user" ? hoursOfUsers(columns, late) : ""}
      UNION ALL
      SELECT hour, ${keyOf[by]}, ${columns} FROM usage_by_hour($4, $5) WHERE ${late}`,
    values: [
      pieces.map((piece) => piece.length),
      pieces.map((piece) => piece.starts),
      by,
      open,
      span.to,
      only ?? null,
    ],
  };
}

/** Hours of users are in usage_totals for a few days only (drop-user-hours.ts). Single hours of a part follow each other. */
function hoursOfUsers(columns: string, condition: string): string {
  return `UNION ALL
      SELECT h.hour, ${keyOf.user}, ${columns} FROM (
        SELECT min(starts) AS since, max(starts) + interval '1 hour' AS until
          FROM unnest($1::text[], $2::timestamptz[]) p(span, starts) WHERE span = 'hour'
         GROUP BY date_bin('4 hours', starts, '1970-01-01Z')) hours
       CROSS JOIN LATERAL usage_by_hour(hours.since, hours.until) h WHERE ${condition}`;
}

/** Returns sums by day and key. */
export async function usageByDayAndKey(
  pool: Pool,
  { days, ...requested }: SplitQuery & { days: readonly LocalDay[] },
): Promise<DayUsage[]> {
  const starts = days.map((day) => day.start);
  const { sql, values } = rowsOf(requested, starts, counterColumns);
  const { rows } = await pool.query<CounterRow & { day: number; key: string }>(
    `SELECT width_bucket(hour, $7::timestamptz[]) AS day, key, ${counterSums} FROM (${sql}) u
      GROUP BY 1, 2 ORDER BY 1, 2`,
    [...values, starts],
  );
  return rows.map((row) => ({ day: row.day - 1, key: row.key, ...sumOf(row) }));
}

/** Splits of one user's usage. It is read from the hours, so it needs no precomputed sums. */
export type UserDimension = Dimension | "token";
export const keyOfUser: Record<UserDimension, string> = { ...keyOf, token: "token_id::text" };

/** Returns a user's sums by day and model, API key, channel or group. */
export async function usageOfUser(
  pool: Pool,
  input: { by: UserDimension; span: Span; days: readonly LocalDay[]; userId: number },
): Promise<DayUsage[]> {
  const { by, span, days, userId } = input;
  const { rows } = await pool.query<CounterRow & { day: number; key: string }>(
    `SELECT width_bucket(hour, $3::timestamptz[]) AS day, ${keyOfUser[by]} AS key, ${counterSums}
       FROM usage_by_hour($1, $2) WHERE user_id = $4 GROUP BY 1, 2 ORDER BY 1, 2`,
    [span.from, span.to, days.map((day) => day.start), userId],
  );
  return rows.map((row) => ({ day: row.day - 1, key: row.key, ...sumOf(row) }));
}

/** Returns the users with the most usage and the number of active users. It sums only the ranking columns. */
export async function rankUsers(
  pool: Pool,
  { span, closed, limit }: { span: Span; closed: Date; limit: number },
): Promise<{ active: number; ids: string[] }> {
  const { sql, values } = rowsOf({ by: "user", span, closed }, [], "quota, request_count");
  const { rows } = await pool.query<{ key: string; active: bigint }>(
    `SELECT key, count(*) OVER () AS active FROM (${sql}) u
      GROUP BY key ORDER BY sum(quota) DESC, sum(request_count) DESC, key::int LIMIT $7`,
    [...values, limit],
  );
  return { active: Number(rows[0]?.active ?? 0n), ids: rows.map((row) => row.key) };
}

/** Charged points of one key before and since an instant. */
export interface KeyChange {
  key: string;
  now: number;
  before: number;
  /** Requests since that instant. */
  requests: number;
}

/**
 * Returns the keys whose charges changed most between two days.
 * @param days start of the later day, and the earlier day's hour that counts by a share only
 */
export async function rankChanges(
  pool: Pool,
  { by, span, closed, days, limit }: Omit<SplitQuery, "only"> & { days: ChangeDays; limit: number },
): Promise<KeyChange[]> {
  const { since, cutHour, share } = days;
  const { sql, values } = rowsOf({ by, span, closed }, [cutHour, since], "quota, request_count");
  const { rows } = await pool.query<Record<"now" | "before" | "requests", bigint> & { key: string }>(
    `SELECT key, now, before, requests FROM (
       SELECT key, COALESCE(sum(quota) FILTER (WHERE hour >= $7), 0)::bigint AS now,
              round(COALESCE(sum(quota) FILTER (WHERE hour < $8), 0)
                + COALESCE(sum(quota) FILTER (WHERE hour >= $8 AND hour < $7), 0) * $9::float8::numeric)::bigint AS before,
              COALESCE(sum(request_count) FILTER (WHERE hour >= $7), 0)::bigint AS requests
         FROM (${sql}) u GROUP BY key
     ) k WHERE now <> before ORDER BY abs(now - before) DESC, key LIMIT $10`,
    [...values, since, cutHour, share, limit],
  );
  return rows.map(({ key, ...counts }) => ({
    key,
    now: Number(counts.now),
    before: Number(counts.before),
    requests: Number(counts.requests),
  }));
}

interface ChangeDays {
  since: Date;
  cutHour: Date;
  share: number;
}
