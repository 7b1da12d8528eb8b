/**
 * Calls that a model could not serve. Errors of the client (an invalid request, an empty balance, a limit of
 * its key) do not count. A model that its provider does not have counts: the operator lists it.
 */
import type { ErrorCode } from "@gateway/shared/errors";
import { LogType } from "@gateway/shared/usage/log-type";
import type { Pool } from "#platform/database/db.ts";

const causes = [
  "no_channel",
  "upstream_failed",
  "upstream_overloaded",
  "upstream_rate_limited",
  "upstream_timeout",
  "internal",
] as const satisfies ErrorCode[];
const unknownToProvider = "model_not_found" satisfies ErrorCode;

export interface Unavailable {
  /** Counts by model, then by index of the period. */
  counts: Map<string, Map<number, number>>;
  /** Before this time, not every failed call was read. */
  from: Date;
}

/**
 * Counts the failed calls per model and period.
 * @param starts start times of the periods, oldest first
 * @param most maximum number of failed calls to read; they have their own index, newest first
 */
export async function unavailableCalls(
  pool: Pool,
  starts: readonly Date[],
  most: number,
): Promise<Unavailable> {
  const { rows } = await pool.query<{
    model: string;
    place: number;
    count: bigint;
    read: bigint;
    oldest: Date;
  }>(
    `SELECT model_name AS model, width_bucket(created_at, $2::timestamptz[]) - 1 AS place,
            count(*) FILTER (WHERE error_code = ANY($3) OR (error_code = $4 AND channel_id > 0)) AS count,
            (sum(count(*)) OVER ())::bigint AS read, min(min(created_at)) OVER () AS oldest
       FROM (
         SELECT model_name, created_at, error_code, channel_id FROM request_logs
          WHERE type = ${LogType.failed} AND created_at >= $1
          ORDER BY created_at DESC, id DESC LIMIT ${most}
       ) failed
      GROUP BY 1, 2`,
    [starts[0], starts, causes, unknownToProvider],
  );
  const counts: Unavailable["counts"] = new Map();
  for (const { model, place, count } of rows) {
    const places = counts.get(model) ?? new Map<number, number>();
    counts.set(model, places.set(place, Number(count)));
  }
  const [row] = rows;
  const complete = row === undefined || Number(row.read) < most;
  return { counts, from: complete ? new Date(0) : row.oldest };
}

/** Served and failed calls of one period. */
export interface CallCounts {
  served: number;
  failed: number;
}

export function shareOf({ served, failed }: CallCounts): number | null {
  return served + failed === 0 ? null : served / (served + failed);
}

export function sumOfTallies(tallies: readonly CallCounts[]): CallCounts {
  return tallies.reduce(
    (sum, each) => ({ served: sum.served + each.served, failed: sum.failed + each.failed }),
    { served: 0, failed: 0 },
  );
}
