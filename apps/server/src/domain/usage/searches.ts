/** Web searches that the gateway ran in a period. The ledger writes them by the hour, and only for calls with searches. */
import type { Pool } from "#platform/database/db.ts";
import type { LocalDay } from "#platform/local-days.ts";
import type { Span } from "./pieces.ts";
import { keyOfUser, type UserDimension } from "./usage.ts";

export interface SearchesOfDay {
  /** Index into the requested days. */
  readonly day: number;
  readonly key: string;
  readonly count: number;
  /** Points. */
  readonly quota: number;
}

/** Returns the searches by day and key. @param userId undefined = all users */
export async function searchesByDayAndKey(
  pool: Pool,
  input: { by: UserDimension; span: Span; days: readonly LocalDay[]; userId: number | undefined },
): Promise<SearchesOfDay[]> {
  const { by, span, days, userId } = input;
  const { rows } = await pool.query<{ day: number; key: string; count: bigint; quota: bigint }>(
    `SELECT width_bucket(hour, $3::timestamptz[]) AS day, ${keyOfUser[by]} AS key,
       sum(search_count)::bigint AS count, sum(quota)::bigint AS quota
     FROM search_hours WHERE hour >= $1 AND hour < $2 AND ($4::int IS NULL OR user_id = $4) GROUP BY 1, 2`,
    [span.from, span.to, days.map((day) => day.start), userId ?? null],
  );
  return rows.map(({ day, key, count, quota }) => ({
    day: day - 1,
    key,
    count: Number(count),
    quota: Number(quota),
  }));
}
