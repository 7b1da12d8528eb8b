/**
 * Last 24 hours and 30 days of one channel, account or token. It reads roll-ups and a bounded number of log
 * rows, which have an index for each of the three.
 */
import { callsOf, tokensOf } from "@gateway/shared/usage/figures";
import { LogType } from "@gateway/shared/usage/log-type";
import {
  type ChannelHours,
  type FailedCall,
  type ObjectUsage,
  USAGE_DAYS,
} from "@gateway/shared/usage/object-usage";
import { OVERVIEW_HOURS } from "@gateway/shared/usage/overview";
import { durationPercentiles, isMeasuredCall } from "#domain/usage/durations.ts";
import { closedUntil, type DayUsage, usageByDayAndKey } from "#domain/usage/usage.ts";
import { currentTime, unixTime } from "#platform/clock.ts";
import type { Pool } from "#platform/database/db.ts";
import { lastLocalDays, type LocalDay } from "#platform/local-days.ts";
import { hourlyByChannel, noHours } from "./channels-health.ts";
import { type TwoDays, readTwoDays } from "./day-periods.ts";
import { describeSample, rescuedAttempts, type SampleRow } from "./latency.ts";

const MOST_ROWS = 5_000;
const MOST_MODELS = 8;
const MOST_REASONS = 8;

/** What to measure. A token includes its owner, because usage is indexed by account. */
export type UsageTarget = { channel: number } | { user: number } | { user: number; token: number };

/** Returns a condition on usage and request_logs, with parameters from $1 on. */
function conditionOf(measured: UsageTarget): { sql: string; values: number[] } {
  if ("channel" in measured) return { sql: "channel_id = $1", values: [measured.channel] };
  if ("token" in measured)
    return { sql: "user_id = $1 AND token_id = $2", values: [measured.user, measured.token] };
  return { sql: "user_id = $1", values: [measured.user] };
}

interface Sums {
  requests: number;
  failed: number;
  charged: number;
  tokens: number;
}

const noSums = (): Sums => ({ requests: 0, failed: 0, charged: 0, tokens: 0 });

export async function describeUsageOf(
  pool: Pool,
  measured: UsageTarget,
  timeZone: string,
  now = currentTime(),
): Promise<ObjectUsage> {
  const days = readTwoDays(now);
  const hours = days.hours.slice(OVERVIEW_HOURS).map((start) => ({ date: "", start }));
  const local = lastLocalDays(USAGE_DAYS, now, timeZone);
  const [hourly, daily, rescued, models, sample, failures] = await Promise.all([
    sumsBy(pool, measured, hours, now),
    sumsBy(pool, measured, local, now),
    rescuedOf(pool, measured, days, now),
    modelsOf(pool, measured, days.since),
    sampleOf(pool, measured, days.since),
    failuresOf(pool, measured, days.since),
  ]);
  return {
    since: unixTime(days.since),
    requests: hourly.map((sums) => sums.requests),
    failed: hourly.map((sums) => sums.failed),
    charged: hourly.map((sums) => sums.charged),
    rescued,
    days: daily.map((sums, place) => ({ date: local[place]?.date ?? "", ...sums })),
    models,
    latency: sample,
    ...failures,
  };
}

/** Returns the sums of each period. A token has no roll-up of its own, so its hours are summed. */
async function sumsBy(
  pool: Pool,
  measured: UsageTarget,
  periods: readonly LocalDay[],
  now: Date,
): Promise<Sums[]> {
  const sums = periods.map(noSums);
  const from = periods[0]?.start ?? now;
  function add(place: number, row: Sums): void {
    const sum = sums[place];
    if (sum === undefined) return;
    for (const name of ["requests", "failed", "charged", "tokens"] as const) sum[name] += row[name];
  }
  if ("token" in measured) {
    const { sql, values } = conditionOf(measured);
    const { rows } = await pool.query<Record<keyof Sums, bigint> & { place: number }>(
      `SELECT width_bucket(hour, $3::timestamptz[]) - 1 AS place, sum(request_count + failed_count)::bigint AS requests,
              sum(failed_count)::bigint AS failed, sum(quota)::bigint AS charged,
              sum(prompt_tokens + completion_tokens)::bigint AS tokens
         FROM usage_by_hour($4, $5) WHERE ${sql} GROUP BY 1`,
      [...values, periods.map((period) => period.start), from, now],
    );
    for (const { place, ...row } of rows)
      add(place, {
        requests: Number(row.requests),
        failed: Number(row.failed),
        charged: Number(row.charged),
        tokens: Number(row.tokens),
      });
    return sums;
  }
  const rows: DayUsage[] = await usageByDayAndKey(pool, {
    by: "channel" in measured ? "channel" : "user",
    span: { from, to: now },
    closed: await closedUntil(pool),
    days: periods,
    only: [String("channel" in measured ? measured.channel : measured.user)],
  });
  for (const row of rows)
    add(row.day, {
      requests: callsOf(row),
      failed: row.failed_count,
      charged: row.quota,
      tokens: tokensOf(row),
    });
  return sums;
}

async function rescuedOf(pool: Pool, measured: UsageTarget, days: TwoDays, now: Date): Promise<number[]> {
  if (!("channel" in measured)) return noHours().rescued;
  const rescued = await rescuedAttempts(pool, days.since, now);
  return hourlyByChannel({ days, usage: [], rescued }).get(measured.channel)?.rescued ?? noHours().rescued;
}

async function modelsOf(pool: Pool, measured: UsageTarget, since: Date): Promise<ObjectUsage["models"]> {
  const { sql, values } = conditionOf(measured);
  const { rows } = await pool.query<Record<"requests" | "failed" | "charged", bigint> & { name: string }>(
    `SELECT model AS name, sum(request_count + failed_count)::bigint AS requests,
            sum(failed_count)::bigint AS failed, sum(quota)::bigint AS charged
       FROM usage_sums($${values.length + 1}, 'infinity') WHERE ${sql}
      GROUP BY 1 ORDER BY sum(quota) DESC, 2 DESC, 1 LIMIT ${MOST_MODELS}`,
    [...values, since],
  );
  return rows.map((row) => ({
    name: row.name,
    requests: Number(row.requests),
    failed: Number(row.failed),
    charged: Number(row.charged),
  }));
}

/**
 * Returns SQL for the newest rows. The limit precedes all other conditions, so that it bounds the rows read.
 */
function newestRows({ sql, values }: ReturnType<typeof conditionOf>): string {
  return `SELECT created_at, request_id, type, error_code, status, user_id, model_name, cache_hit, is_stream, request_time,
                 first_byte_time
            FROM request_logs WHERE ${sql} AND created_at >= $${values.length + 1}
           ORDER BY created_at DESC, id DESC LIMIT ${MOST_ROWS}`;
}

async function sampleOf(pool: Pool, measured: UsageTarget, since: Date): Promise<ObjectUsage["latency"]> {
  const condition = conditionOf(measured);
  const { rows } = await pool.query<Omit<SampleRow, "channel_id">>(
    `SELECT count(*) AS calls, min(created_at) AS since, ${durationPercentiles}
       FROM (${newestRows(condition)}) calls WHERE ${isMeasuredCall}`,
    [...condition.values, since],
  );
  return describeSample(rows[0]);
}

interface ReasonRow {
  code: string;
  status: number;
  count: bigint;
  users: bigint;
  last_time: Date;
  request_id: string;
  model: string;
  read: bigint;
}

async function failuresOf(
  pool: Pool,
  measured: UsageTarget,
  since: Date,
): Promise<Pick<ObjectUsage, "failures" | "last_failed">> {
  const condition = conditionOf(measured);
  const { rows } = await pool.query<ReasonRow>(
    `WITH calls AS (${newestRows(condition)})
     SELECT error_code AS code, status, count(*) AS count, count(DISTINCT user_id) AS users,
            max(created_at) AS last_time, (array_agg(request_id ORDER BY created_at DESC))[1] AS request_id,
            (array_agg(model_name ORDER BY created_at DESC))[1] AS model, (SELECT count(*) FROM calls) AS read
       FROM calls WHERE type = ${LogType.failed}
      GROUP BY 1, 2 ORDER BY count(*) DESC, max(created_at) DESC`,
    [...condition.values, since],
  );
  const reasons = rows.map(({ code, status, count, users, last_time }) => ({
    code,
    status,
    count: Number(count),
    users: Number(users),
    last_time: unixTime(last_time),
  }));
  const last = rows.toSorted((a, b) => b.last_time.getTime() - a.last_time.getTime())[0];
  return {
    failures: {
      reasons: reasons.slice(0, MOST_REASONS),
      complete: Number(rows[0]?.read ?? 0n) < MOST_ROWS,
    },
    last_failed:
      last === undefined
        ? null
        : {
            request_id: last.request_id,
            time: unixTime(last.last_time),
            code: last.code,
            status: last.status,
            model: last.model,
          },
  };
}

/** Returns 24 hours of the channels in a list, each with its last failed call. */
export async function hoursOfChannels(
  pool: Pool,
  ids: readonly number[],
  now = currentTime(),
): Promise<ChannelHours> {
  const days = readTwoDays(now);
  const hours = days.hours.slice(OVERVIEW_HOURS);
  const [usage, rescued] = await Promise.all([
    usageByDayAndKey(pool, {
      by: "channel",
      span: { from: days.since, to: now },
      closed: await closedUntil(pool),
      days: hours.map((start) => ({ date: "", start })),
      only: ids.map(String),
    }),
    rescuedAttempts(pool, days.since, now),
  ]);
  const hourly = hourlyByChannel({ days, usage, rescued });
  const last = await lastFailed(
    pool,
    ids.flatMap((id) => {
      const start = hours[hourly.get(id)?.failed.findLastIndex((count) => count > 0) ?? -1];
      return start === undefined ? [] : [{ id, start }];
    }),
  );
  const channels = ids.map((id) => {
    const { requests, failed, rescued: saved } = hourly.get(id) ?? noHours();
    return { id, requests, failed, rescued: saved, last_failed: last.get(id) ?? null };
  });
  return { since: unixTime(days.since), channels };
}

const hourMs = 3_600_000;

/**
 * Finds the last failed call of each channel within an hour with failures in the roll-ups.
 * This limits the rows read.
 */
async function lastFailed(
  pool: Pool,
  places: readonly { id: number; start: Date }[],
): Promise<Map<number, FailedCall>> {
  if (places.length === 0) return new Map();
  const { rows } = await pool.query<Omit<FailedCall, "time"> & { id: number; time: Date }>(
    `SELECT wanted.id, newest.* FROM unnest($1::int[], $2::timestamptz[], $3::timestamptz[]) wanted(id, starts, ends)
      CROSS JOIN LATERAL (
        SELECT created_at AS time, request_id, error_code AS code, status, model_name AS model FROM request_logs
         WHERE channel_id = wanted.id AND created_at >= wanted.starts AND created_at < wanted.ends
           AND type = ${LogType.failed}
         ORDER BY created_at DESC, id DESC LIMIT 1) newest`,
    [
      places.map(({ id }) => id),
      places.map(({ start }) => start),
      places.map(({ start }) => new Date(start.getTime() + hourMs)),
    ],
  );
  return new Map(rows.map(({ id, time, ...call }) => [id, { ...call, time: unixTime(time) }]));
}
