import type { UsageDay } from "@gateway/shared/dashboard";
import { LogType } from "@gateway/shared/log";
import type { Pool } from "#platform/db.ts";

/** Numbers for dashboards: days from the hourly roll-up, which is kept for ever; only the last minute from the log. */

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * Usage of one user by local day and model, today and the days before it.
 * @param utcOffset minutes to add to UTC for local time; an hour belongs to the day in which it begins
 */
export async function usageByDay(
  pool: Pool,
  input: { userId: number; utcOffset: number; days: number; now?: Date },
): Promise<UsageDay[]> {
  const offsetMs = input.utcOffset * MINUTE_MS;
  const localNow = (input.now ?? new Date()).getTime() + offsetMs;
  const firstLocalDay = Math.floor(localNow / DAY_MS) - (input.days - 1);
  const { rows } = await pool.query<Record<keyof UsageDay, string>>(
    `SELECT to_char((hour AT TIME ZONE 'UTC') + make_interval(mins => $2::int), 'YYYY-MM-DD') AS date,
            model,
            sum(request_count)::text AS request_count,
            sum(quota)::text AS quota,
            sum(prompt_tokens)::text AS prompt_tokens,
            sum(completion_tokens)::text AS completion_tokens,
            sum(request_time)::text AS request_time
       FROM usage_hours
      WHERE user_id = $1 AND hour >= $3
      GROUP BY 1, 2
      ORDER BY 1, 2`,
    [input.userId, input.utcOffset, new Date(firstLocalDay * DAY_MS - offsetMs)],
  );
  return rows.map((row) => ({
    date: row.date,
    model: row.model,
    request_count: Number(row.request_count),
    quota: Number(row.quota),
    prompt_tokens: Number(row.prompt_tokens),
    completion_tokens: Number(row.completion_tokens),
    request_time: Number(row.request_time),
  }));
}

/** Calls and tokens of a user in the last sixty seconds. */
export async function lastMinute(pool: Pool, userId: number): Promise<{ rpm: number; tpm: number }> {
  const { rows } = await pool.query<{ rpm: string; tpm: string }>(
    `SELECT count(*)::text AS rpm, coalesce(sum(prompt_tokens + completion_tokens), 0)::text AS tpm
       FROM request_logs
      WHERE user_id = $1 AND created_at > now() - interval '60 seconds'
        AND type IN (${LogType.consume}, ${LogType.failed})`,
    [userId],
  );
  return { rpm: Number(rows[0]?.rpm ?? 0), tpm: Number(rows[0]?.tpm ?? 0) };
}
