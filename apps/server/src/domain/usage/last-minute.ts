import { LogType } from "@gateway/shared/usage/log-type";
import type { Pool } from "#platform/database/db.ts";

/**
 * Returns calls and tokens of the last minute from the log, because hourly roll-ups cannot provide them.
 * @param userId undefined for all users
 */
export async function lastMinute(pool: Pool, userId?: number): Promise<{ rpm: number; tpm: number }> {
  const { rows } = await pool.query<{ rpm: bigint; tpm: bigint }>(
    `SELECT count(*) AS rpm, COALESCE(sum(prompt_tokens + completion_tokens), 0)::bigint AS tpm
       FROM request_logs
      WHERE created_at > now() - interval '60 seconds' AND created_at <= now()
        ${userId === undefined ? "" : "AND user_id = $1"}
        AND type IN (${LogType.consume}, ${LogType.failed})`,
    userId === undefined ? [] : [userId],
  );
  return { rpm: Number(rows[0]?.rpm ?? 0n), tpm: Number(rows[0]?.tpm ?? 0n) };
}
