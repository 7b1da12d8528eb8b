import type { UsageSum } from "@gateway/shared/analytics";
import type { Pool } from "#platform/db.ts";
import { type CounterRow, counterColumns, counterSums, type Dimension, keyOf, sumOf } from "./counters.ts";
import type { LocalDay } from "./local-days.ts";

/**
 * Usage of a period: closed hours from usage_totals, the last ones from usage_hours, never a row of the log. An hour
 * belongs to the day in which it begins.
 */

export interface Span {
  from: Date;
  to: Date;
}

/** Until when usage_totals is complete. A run that closes more meanwhile changes nothing: both tables say the same. */
export async function closedUntil(pool: Pool): Promise<Date> {
  const { rows } = await pool.query<{ closed_until: Date }>("SELECT closed_until FROM usage_progress");
  return rows[0]?.closed_until ?? new Date(0);
}

export interface DayUsage extends UsageSum {
  /** Index into the asked days. */
  day: number;
  key: string;
}

/**
 * Sums by day and key.
 * @param only of these keys, when given
 */
export async function usageByDayAndKey(
  pool: Pool,
  input: { by: Dimension; span: Span; days: readonly LocalDay[]; closed: Date; only?: readonly string[] },
): Promise<DayUsage[]> {
  const { by, span, days, closed, only } = input;
  const starts = days.map((day) => day.start);
  const { rows } = await pool.query<CounterRow & { day: number; key: string }>(
    `SELECT width_bucket(hour, $4::timestamptz[]) AS day, key, ${counterSums} FROM (
       SELECT starts AS hour, key, ${counterColumns} FROM usage_totals
        WHERE kind = $5 AND span = 'hour' AND starts >= $1 AND starts < LEAST($2, $3::timestamptz)
          ${only === undefined ? "" : "AND key = ANY($6)"}
       UNION ALL
       SELECT hour, ${keyOf[by]}, ${counterColumns} FROM usage_hours
        WHERE hour >= GREATEST($1, $3::timestamptz) AND hour < $2
          ${only === undefined ? "" : `AND ${by === "user" ? "user_id = ANY($6::int[])" : `${keyOf[by]} = ANY($6)`}`}
     ) u GROUP BY 1, 2 ORDER BY 1, 2`,
    [span.from, span.to, closed, starts, by, ...(only === undefined ? [] : [only])],
  );
  return rows.map((row) => ({ day: row.day - 1, key: row.key, ...sumOf(row) }));
}

/** Sums by day and model, channel or group, of one user. */
export async function usageOfUser(
  pool: Pool,
  input: { by: Dimension; span: Span; days: readonly LocalDay[]; userId: number },
): Promise<DayUsage[]> {
  const { by, span, days, userId } = input;
  const { rows } = await pool.query<CounterRow & { day: number; key: string }>(
    `SELECT width_bucket(hour, $3::timestamptz[]) AS day, ${keyOf[by]} AS key, ${counterSums}
       FROM usage_hours WHERE user_id = $4 AND hour >= $1 AND hour < $2 GROUP BY 1, 2 ORDER BY 1, 2`,
    [span.from, span.to, days.map((day) => day.start), userId],
  );
  return rows.map((row) => ({ day: row.day - 1, key: row.key, ...sumOf(row) }));
}

/** One sum over everybody, or over one user. */
export async function usageTotal(
  pool: Pool,
  input: { span: Span; closed: Date; userId?: number },
): Promise<UsageSum> {
  const { span, closed, userId } = input;
  const { rows } =
    userId === undefined
      ? await pool.query<CounterRow>(
          `SELECT ${counterSums} FROM (
             SELECT ${counterColumns} FROM usage_totals
              WHERE kind = 'site' AND span = 'hour' AND starts >= $1 AND starts < LEAST($2, $3::timestamptz)
             UNION ALL
             SELECT ${counterColumns} FROM usage_hours
              WHERE hour >= GREATEST($1, $3::timestamptz) AND hour < $2
           ) u`,
          [span.from, span.to, closed],
        )
      : await pool.query<CounterRow>(
          `SELECT ${counterSums} FROM usage_hours WHERE user_id = $3 AND hour >= $1 AND hour < $2`,
          [span.from, span.to, userId],
        );
  return sumOf(rows[0]);
}

const dayMs = 86_400_000;

/**
 * Who used most, and how many used anything: whole days from their own sums, the ends of the period by the hour.
 * @param limit of users
 */
export async function topUsers(
  pool: Pool,
  input: { span: Span; closed: Date; limit: number },
): Promise<{ active: number; top: (UsageSum & { user_id: number; username: string })[] }> {
  const { span, closed, limit } = input;
  const lastClosed = Math.min(span.to.getTime(), closed.getTime());
  const firstDay = Math.ceil(span.from.getTime() / dayMs) * dayMs;
  const lastDay = Math.max(firstDay, Math.floor(lastClosed / dayMs) * dayMs);
  const { rows } = await pool.query<
    CounterRow & { user_id: number; username: string | null; active: bigint }
  >(
    `SELECT s.*, u.username FROM (
       SELECT key::int AS user_id, ${counterSums}, count(*) OVER () AS active FROM (
         SELECT key, ${counterColumns} FROM usage_totals
          WHERE kind = 'user' AND span = 'day' AND starts >= $4 AND starts < $5
         UNION ALL
         SELECT key, ${counterColumns} FROM usage_totals
          WHERE kind = 'user' AND span = 'hour' AND starts >= $1 AND starts < LEAST($2, $3::timestamptz, $4)
         UNION ALL
         SELECT key, ${counterColumns} FROM usage_totals
          WHERE kind = 'user' AND span = 'hour' AND starts >= GREATEST($1, $5::timestamptz)
            AND starts < LEAST($2, $3::timestamptz)
         UNION ALL
         SELECT user_id::text, ${counterColumns} FROM usage_hours
          WHERE hour >= GREATEST($1, $3::timestamptz) AND hour < $2
       ) t GROUP BY key ORDER BY sum(quota) DESC, sum(request_count) DESC, key LIMIT $6
     ) s LEFT JOIN users u ON u.id = s.user_id
     ORDER BY s.quota DESC, s.request_count DESC, s.user_id`,
    [span.from, span.to, closed, new Date(firstDay), new Date(lastDay), limit],
  );
  return {
    active: Number(rows[0]?.active ?? 0n),
    top: rows.map((row) => ({
      user_id: row.user_id,
      username: row.username ?? `#${row.user_id}`,
      ...sumOf(row),
    })),
  };
}
