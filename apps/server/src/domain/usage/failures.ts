import { LogType } from "@gateway/shared/usage/log-type";
import type { Failures } from "@gateway/shared/usage/overview";
import { unixTime } from "#platform/clock.ts";
import type { Pool } from "#platform/database/db.ts";

/** Maximum number of failed calls to read, newest first. They have an index of their own. */
const MOST_ROWS = 5_000;
const MOST_REASONS = 8;

/**
 * Returns the reasons of failed calls since an instant, most frequent first.
 * @param userId undefined for all users
 */
export async function failuresSince(pool: Pool, since: Date, userId?: number): Promise<Failures> {
  const { rows } = await pool.query<{
    code: string;
    status: number;
    count: bigint;
    users: bigint;
    last_time: Date;
    read: bigint;
  }>(
    `SELECT error_code AS code, status, count(*) AS count, count(DISTINCT user_id) AS users,
            max(created_at) AS last_time, sum(count(*)) OVER ()::bigint AS read
       FROM (
         SELECT error_code, status, user_id, created_at FROM request_logs
          WHERE type = ${LogType.failed} AND created_at >= $1 ${userId === undefined ? "" : "AND user_id = $2"}
          ORDER BY created_at DESC, id DESC LIMIT ${MOST_ROWS}
       ) failed
      GROUP BY 1, 2 ORDER BY count(*) DESC, max(created_at) DESC LIMIT ${MOST_REASONS}`,
    userId === undefined ? [since] : [since, userId],
  );
  return {
    reasons: rows.map(({ code, status, count, users, last_time }) => ({
      code,
      status,
      count: Number(count),
      users: Number(users),
      last_time: unixTime(last_time),
    })),
    complete: Number(rows[0]?.read ?? 0n) < MOST_ROWS,
  };
}
