/**
 * Health of all models, computed once for all readers of this node. Responses to visitors contain only the
 * models that their groups reach (reachable.ts).
 */
import { HEALTH_DAYS, HEALTH_HOURS, type ModelHealth } from "@gateway/shared/models/model-health";
import { durationPercentiles, isMeasuredCall, noPercentiles } from "#domain/usage/durations.ts";
import { closedUntil, usageByDayAndKey } from "#domain/usage/usage.ts";
import { currentTime } from "#platform/clock.ts";
import { type ComputedValue, createComputedValue } from "#platform/computed-value.ts";
import type { Pool } from "#platform/database/db.ts";
import { talliesByModel } from "./tallies.ts";
import { shareOf, sumOfTallies, type CallCounts } from "./unavailable.ts";

const hourMs = 3_600_000;
const dayMs = 86_400_000;
/** Maximum number of recent calls whose durations are read. */
const MOST_TIMED = 20_000;
/** Maximum number of failed calls to read, for hours and for days. */
const MOST_FAILED = { hours: 20_000, days: 100_000 };
/** Number of days whose calls determine the rank of a model. */
const RANKED_DAYS = 7;

export interface HealthByModel {
  since: Date;
  models: Map<string, ModelHealth & { tallies: CallCounts[] }>;
}

export interface DaysByModel {
  firstDay: Date;
  models: Map<string, CallCounts[]>;
}

export interface ModelHealthCache {
  hours: ComputedValue<HealthByModel>;
  days: ComputedValue<DaysByModel>;
  /** Rank of models by successful calls of seven days; 1 is the most used model. */
  ranks: ComputedValue<Map<string, number>>;
}

export function createModelHealthCache(pool: Pool): ModelHealthCache {
  return {
    hours: createComputedValue(() => healthByModel(pool), { lastsMs: 15_000, mostShare: 0.05 }),
    days: createComputedValue(() => daysByModel(pool), { lastsMs: 120_000, mostShare: 0.02 }),
    ranks: createComputedValue(() => rankModels(pool), { lastsMs: 60_000, mostShare: 0.05 }),
  };
}

export async function healthByModel(pool: Pool, now = currentTime()): Promise<HealthByModel> {
  const begun = Math.floor(now.getTime() / hourMs) * hourMs;
  const starts = Array.from(
    { length: HEALTH_HOURS },
    (_, hour) => new Date(begun - (HEALTH_HOURS - 1 - hour) * hourMs),
  );
  const since = starts[0] ?? now;
  const [tallies, times] = await Promise.all([
    talliesByModel(pool, { starts, now, mostFailed: MOST_FAILED.hours }),
    timesByModel(pool, since, now),
  ]);
  const models = [...tallies].map(([model, hours]) => {
    const health = {
      availability: shareOf(sumOfTallies(hours)),
      hourly: hours.map(shareOf),
      ...(times.get(model) ?? noTimes),
      tallies: hours,
    };
    return [model, health] as const;
  });
  return { since, models: new Map(models) };
}

type Times = Omit<ModelHealth, "availability" | "hourly">;

const noTimes: Times = { ...noPercentiles, tokens_per_second: null };

/** Returns durations of the newest successful calls, up to a maximum number. */
async function timesByModel(pool: Pool, from: Date, to: Date): Promise<Map<string, Times>> {
  // Short responses arrive at once: their speed would be that of one packet.
  const speed = `completion_tokens * 1000.0 / NULLIF(request_time - first_byte_time, 0))
    FILTER (WHERE is_stream AND completion_tokens >= 10 AND request_time - first_byte_time >= 50`;
  const { rows } = await pool.query<Times & { model: string }>(
    `SELECT model_name AS model, ${durationPercentiles},
            percentile_cont(0.5) WITHIN GROUP (ORDER BY ${speed})::float8 AS tokens_per_second
       FROM (
         SELECT type, cache_hit, model_name, is_stream, completion_tokens, request_time, first_byte_time
           FROM request_logs WHERE created_at >= $1 AND created_at < $2
          ORDER BY created_at DESC, id DESC LIMIT ${MOST_TIMED}
       ) calls
      WHERE ${isMeasuredCall}
      GROUP BY 1`,
    [from, to],
  );
  return new Map(rows.map(({ model, ...times }) => [model, times]));
}

export async function daysByModel(pool: Pool, now = currentTime()): Promise<DaysByModel> {
  const begun = Math.floor(now.getTime() / dayMs) * dayMs;
  const starts = Array.from(
    { length: HEALTH_DAYS },
    (_, day) => new Date(begun - (HEALTH_DAYS - 1 - day) * dayMs),
  );
  const firstDay = starts[0] ?? now;
  // Days whose logs were deleted would appear perfect: their failed calls are gone, but the sums remain.
  const { rows } = await pool.query<{ oldest: Date | null }>(
    "SELECT min(created_at) AS oldest FROM request_logs WHERE created_at >= $1",
    [firstDay],
  );
  const oldest = rows[0]?.oldest ?? now;
  const knownFrom = new Date(Math.floor(oldest.getTime() / dayMs) * dayMs);
  const models = await talliesByModel(pool, { starts, now, mostFailed: MOST_FAILED.days, knownFrom });
  return { firstDay, models };
}

async function rankModels(pool: Pool, now = currentTime()): Promise<Map<string, number>> {
  const begun = Math.floor(now.getTime() / hourMs) * hourMs;
  const start = new Date(begun - RANKED_DAYS * dayMs);
  const closed = await closedUntil(pool);
  const rows = await usageByDayAndKey(pool, {
    by: "model",
    span: { from: start, to: now },
    closed,
    days: [{ date: "", start }],
  });
  const used = rows.filter((row) => row.request_count > 0);
  used.sort((a, b) => b.request_count - a.request_count || (a.key < b.key ? -1 : 1));
  return new Map(used.map((row, index) => [row.key, index + 1]));
}
