/**
 * The figures that several screens show. Server and console compute them here, so that a figure means the same
 * everywhere. docs/figures.md describes them for readers. Pure.
 */
import type { UsageSum } from "./analytics.ts";

/** Each has a definition in the console: what it counts and what it leaves out. */
export const figures = [
  "requests",
  "failed",
  "error_rate",
  "success",
  "tokens",
  "charged",
  "provider_cost",
  "duration",
  "first_token",
  "searches",
] as const;
export type Figure = (typeof figures)[number];

type Calls = Pick<UsageSum, "request_count" | "failed_count">;

/** Returns the number of calls: successful and failed ones. A call counts once, however many attempts it needed. */
export function callsOf({ request_count, failed_count }: Calls): number {
  return request_count + failed_count;
}

/** Returns input and output tokens. Cached tokens are part of the input. */
export function tokensOf(sum: Pick<UsageSum, "prompt_tokens" | "completion_tokens">): number {
  return sum.prompt_tokens + sum.completion_tokens;
}

/** Returns a part as a share; null when the whole is zero, because a share of nothing has no value. */
export function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

/** Returns failed calls as a share of all calls; null without calls. */
export function errorRateOf(sum: Calls): number | null {
  return shareOf(sum.failed_count, callsOf(sum));
}

type Times = Pick<UsageSum, "request_count" | "request_time" | "first_byte_time">;

/** Returns the average duration of successful calls in milliseconds; null without such calls. */
export function averageDurationOf(sum: Pick<Times, "request_count" | "request_time">): number | null {
  return shareOf(sum.request_time, sum.request_count);
}

/** Returns the average time to the first byte of the same calls in milliseconds; null without such calls. */
export function averageFirstByteOf(sum: Pick<Times, "request_count" | "first_byte_time">): number | null {
  return shareOf(sum.first_byte_time, sum.request_count);
}
