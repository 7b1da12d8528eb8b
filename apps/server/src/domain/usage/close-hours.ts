/**
 * Sums finished hours of usage by one dimension at a time into usage_totals, so that an analytics screen reads
 * thousands of rows instead of millions. This is an optimization only: hours that are not closed yet are summed when
 * they are read.
 */
import { currentTime } from "#platform/clock.ts";
import { advisoryLocks } from "#platform/database/advisory-locks.ts";
import type { Pool } from "#platform/database/db.ts";
import { counterSums, dimensions, keyOf } from "./counters.ts";
import { type Length, lengths } from "./pieces.ts";

/**
 * A call belongs to the hour in which it began but may settle later, so hours stay open for one more hour.
 */
const OPEN_HOURS = 1;
/** Closed hours are summed again for this long, to include calls that settled later. */
export const MENDED_HOURS = 48;

/** A longer piece is summed from these. */
const shorter = { part: "hour", day: "part", week: "day" } as const satisfies Partial<Record<Length, Length>>;

/** Closes every finished hour. Returns the number of hours summed, new or again. */
export async function closeHours(pool: Pool, now = currentTime()): Promise<number> {
  const until = new Date(Math.floor(now.getTime() / lengths.hour - OPEN_HOURS) * lengths.hour);
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query("SELECT pg_advisory_xact_lock($1)", [advisoryLocks.closeHours]);
    const { rows } = await client.query<{ closed_until: Date | null; first: Date | null }>(
      `SELECT (SELECT closed_until FROM usage_progress) AS closed_until,
         LEAST((SELECT min(hour) FROM usage_hours), (SELECT min(day) FROM usage_days)) AS first`,
    );
    const { closed_until: closed = null, first = null } = rows[0] ?? {};
    const from = closed === null ? first : new Date(closed.getTime() - MENDED_HOURS * lengths.hour);
    if (from === null || from >= until || (closed !== null && closed > until)) {
      await client.query("COMMIT");
      return 0;
    }
    await client.query(
      "DELETE FROM usage_totals WHERE span = 'hour' AND kind = ANY($3) AND starts >= $1 AND starts < $2",
      [from, until, dimensions],
    );
    await client.query(hoursStatement, [from, until]);
    for (const length of ["part", "day", "week"] as const) {
      // Only complete pieces: an incomplete one is read as shorter pieces.
      const [first, last] = [from, until].map((at) => startOf(length, at));
      await client.query(
        "DELETE FROM usage_totals WHERE span = $4 AND kind = ANY($3) AND starts >= $1 AND starts < $2",
        [first, last, dimensions, length],
      );
      await client.query(longerStatement, [
        first,
        last,
        length,
        `${lengths[length]} milliseconds`,
        shorter[length],
        dimensions,
      ]);
    }
    await client.query(
      `INSERT INTO usage_progress (id, closed_until) VALUES (1, $1)
       ON CONFLICT (id) DO UPDATE SET closed_until = excluded.closed_until`,
      [until],
    );
    await client.query("COMMIT");
    return (until.getTime() - from.getTime()) / lengths.hour;
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}

const columns = `kind, span, starts, key, request_count, failed_count, quota, prompt_tokens, completion_tokens,
  cached_tokens, request_time, first_byte_time`;

const hoursStatement = `
INSERT INTO usage_totals (${columns})
SELECT CASE WHEN grouping(model) = 0 AND grouping(channel_id) = 0 THEN 'lane'
    WHEN grouping(model) = 0 THEN 'model' WHEN grouping(channel_id) = 0 THEN 'channel'
    WHEN grouping("group") = 0 THEN 'group' WHEN grouping(user_id) = 0 THEN 'user' ELSE 'site' END,
  'hour', hour,
  COALESCE(${keyOf.lane}, model, channel_id::text, "group", user_id::text, ''), ${counterSums}
FROM usage_by_hour($1, $2)
GROUP BY GROUPING SETS ((hour, channel_id, model), (hour, model), (hour, channel_id), (hour, "group"), (hour, user_id),
  (hour))
ORDER BY 1, 3, 4`;

/** Sums pieces into longer ones. Parameters: $3 name of the length, $4 the length, $5 name of the shorter length. */
const longerStatement = `
INSERT INTO usage_totals (${columns})
SELECT kind, $3, date_bin($4::interval, starts, '1970-01-01Z'), key, ${counterSums}
FROM usage_totals WHERE span = $5 AND kind = ANY($6) AND starts >= $1 AND starts < $2
GROUP BY 1, 3, 4 ORDER BY 1, 3, 4`;

function startOf(length: Length, at: Date): Date {
  return new Date(Math.floor(at.getTime() / lengths[length]) * lengths[length]);
}
