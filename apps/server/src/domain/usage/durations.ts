/**
 * Percentiles of durations, as SQL over rows of the log. Every screen uses these, so that duration and first token
 * are always measured on the same calls.
 */
import { LogType } from "@gateway/shared/usage/log-type";
import type { LatencySample } from "@gateway/shared/usage/overview";

/** Condition for calls whose duration counts: successful ones that a provider served, not the response cache. */
export const isMeasuredCall = `type = ${LogType.consume} AND NOT cache_hit`;

const percentile = (share: number, column: string) =>
  `percentile_cont(${share}) WITHIN GROUP (ORDER BY ${column})`;

/** The first token of a response that is not streamed arrives with the rest of it. */
const firstToken = "first_byte_time) FILTER (WHERE first_byte_time > 0";

/** Columns p50, p95, first_p50 and first_p95 in milliseconds; null without measured calls. */
export const durationPercentiles = `${percentile(0.5, "request_time")} AS p50,
  ${percentile(0.95, "request_time")} AS p95, ${percentile(0.5, firstToken)} AS first_p50,
  ${percentile(0.95, firstToken)} AS first_p95`;

export type Percentiles = Pick<LatencySample, "p50" | "p95" | "first_p50" | "first_p95">;

export const noPercentiles: Percentiles = { p50: null, p95: null, first_p50: null, first_p95: null };
