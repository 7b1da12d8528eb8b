/**
 * Percentiles of the newest calls. Roll-ups contain sums only, so this reads a bounded number of log rows by
 * time: a day of a small site, minutes of a large one.
 */
import type { LatencySample } from "@gateway/shared/usage/overview";
import {
  durationPercentiles,
  isMeasuredCall,
  noPercentiles,
  type Percentiles,
} from "#domain/usage/durations.ts";
import { unixTime } from "#platform/clock.ts";
import type { Pool } from "#platform/database/db.ts";

const MOST_ROWS = 5_000;

/** Parameters: $1 from, $2 to. The limit precedes all conditions except `of`, so that it bounds the rows read. */
const newestRows = (columns: string, of = "") => `
  SELECT ${columns} FROM (
    SELECT * FROM request_logs WHERE created_at >= $1 AND created_at < $2 ${of}
    ORDER BY created_at DESC, id DESC LIMIT ${MOST_ROWS}
  ) l`;

export interface SampleRow extends Percentiles {
  channel_id: number | null;
  calls: bigint;
  since: Date | null;
}

export interface Latency {
  all: LatencySample;
  byChannel: Map<number, LatencySample>;
}

/**
 * Samples charged calls between two instants.
 * It excludes calls served from a token's cache, which use no channel.
 * @param userId undefined means all users
 */
export async function sampleLatency(pool: Pool, from: Date, to: Date, userId?: number): Promise<Latency> {
  const { rows } = await pool.query<SampleRow>(
    `SELECT channel_id, count(*) AS calls, min(created_at) AS since, ${durationPercentiles}
       FROM (${newestRows("*", userId === undefined ? "" : "AND user_id = $3")} WHERE ${isMeasuredCall}) calls
      GROUP BY GROUPING SETS ((), (channel_id))`,
    userId === undefined ? [from, to] : [from, to, userId],
  );
  const byChannel = new Map<number, LatencySample>();
  let all = describeSample(undefined);
  for (const row of rows) {
    if (row.channel_id === null) all = describeSample(row);
    else byChannel.set(row.channel_id, describeSample(row));
  }
  return { all, byChannel };
}

/** Returns the sample of a row; an empty one without a row. */
export function describeSample(row: Omit<SampleRow, "channel_id"> | undefined): LatencySample {
  const { p50, p95, first_p50, first_p95 } = row ?? noPercentiles;
  return {
    calls: Number(row?.calls ?? 0n),
    since: row?.since ? unixTime(row.since) : null,
    p50,
    p95,
    first_p50,
    first_p95,
  };
}

export interface RescuedRow {
  channel_id: number;
  hour: Date;
  count: number;
}

/** Counts attempts that failed at a channel other than the call's last one, by that channel and hour. */
export async function rescuedAttempts(pool: Pool, from: Date, to: Date): Promise<RescuedRow[]> {
  const { rows } = await pool.query<Omit<RescuedRow, "count"> & { count: bigint }>(
    `SELECT (note->>'channel_id')::int AS channel_id, date_trunc('hour', created_at, 'UTC') AS hour, count(*) AS count
       FROM (${newestRows("channel_id, created_at, attempts")}
              WHERE jsonb_typeof(attempts) = 'array' AND jsonb_array_length(attempts) > 1) calls,
            jsonb_array_elements(attempts) note
      WHERE note ? 'result' AND note->>'result' <> 'ok' AND (note->>'channel_id')::int <> calls.channel_id
      GROUP BY 1, 2`,
    [from, to],
  );
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}
