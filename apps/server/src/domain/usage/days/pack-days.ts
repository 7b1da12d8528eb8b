/**
 * Moves usage of days that have ended from usage_hours to usage_days: one row for a day of a token with a model on a
 * channel, which contains its hours. Nothing is lost, and it takes a third of the space.
 */
import { MENDED_HOURS } from "#domain/usage/close-hours.ts";
import { lengths } from "#domain/usage/pieces.ts";
import { closedUntil } from "#domain/usage/usage.ts";
import type { Pool } from "#platform/database/db.ts";
import { readStatement } from "#platform/database/prepared-statement.ts";

const { text: packDay } = readStatement(import.meta.url, "pack-day.sql");

/**
 * Packs all days whose hours are not summed again. Each day is a statement of its own, so the work can be stopped.
 * Returns the number of written rows.
 */
export async function packDays(pool: Pool, stopping?: AbortSignal): Promise<number> {
  const mended = (await closedUntil(pool)).getTime() - MENDED_HOURS * lengths.hour;
  const until = Math.floor(mended / lengths.day) * lengths.day;
  let packed = 0;
  let from = new Date(0);
  for (;;) {
    if (stopping?.aborted === true) return packed;
    const { rows } = await pool.query<{ day: Date | null }>(
      "SELECT date_trunc('day', min(hour), 'UTC') AS day FROM usage_hours WHERE hour >= $1 AND hour < $2",
      [from, new Date(until)],
    );
    const day = rows[0]?.day ?? null;
    if (day === null) return packed;
    packed += (await pool.query(packDay, [day])).rowCount ?? 0;
    from = new Date(day.getTime() + lengths.day);
  }
}
