import type { Pool } from "#platform/database/db.ts";
import { lengths } from "./pieces.ts";
import { closedUntil } from "./usage.ts";

/** Closed days for which usage_totals keeps the hours of users: longer than hours are summed again (close-hours.ts). */
const KEPT_DAYS = 3;

/**
 * Drops older hours of users from usage_totals, half of its rows: usage has an index of users. Their parts, days and
 * weeks stay. Each day is a statement of its own, so the work can be stopped. Returns the number of dropped rows.
 */
export async function dropUserHours(pool: Pool, stopping?: AbortSignal): Promise<number> {
  const until = (await closedUntil(pool)).getTime() - KEPT_DAYS * lengths.day;
  const hours = "kind = 'user' AND span = 'hour'";
  let dropped = 0;
  for (;;) {
    if (stopping?.aborted === true) return dropped;
    const { rows } = await pool.query<{ first: Date | null }>(
      `SELECT min(starts) AS first FROM usage_totals WHERE ${hours} AND starts < $1`,
      [new Date(until)],
    );
    const first = rows[0]?.first?.getTime();
    if (first === undefined) return dropped;
    const { rowCount } = await pool.query(
      `DELETE FROM usage_totals WHERE ${hours} AND starts >= $1 AND starts < $2`,
      [new Date(first), new Date(Math.min(until, first + lengths.day))],
    );
    dropped += rowCount ?? 0;
  }
}
