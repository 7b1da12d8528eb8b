/** When a channel is failing. The server's list of problems and every screen with a channel's state use it. Pure. */
import type { ChannelHealth } from "./overview.ts";

/** Attempts per hour, the current hour last. */
export type HourlyAttempts = Pick<ChannelHealth, "requests" | "failed" | "rescued">;

/** Thresholds in the current and the previous hour: number and share of failed attempts. */
const FAILED_ATTEMPTS = 5;
const FAILED_SHARE = 0.2;

/**
 * Returns the attempts of the current and the previous hour. A call that another channel had to serve counts as a
 * failure of this one.
 */
export function recentAttempts({ requests, failed, rescued }: HourlyAttempts): {
  attempts: number;
  failed: number;
} {
  const lately = (hours: readonly number[]) => hours.slice(-2).reduce((sum, count) => sum + count, 0);
  const served = lately(rescued);
  return { attempts: lately(requests) + served, failed: lately(failed) + served };
}

/** Returns whether at least five attempts failed lately, and at least a fifth of all. */
export function isFailing(hours: HourlyAttempts): boolean {
  const { attempts, failed } = recentAttempts(hours);
  return failed >= FAILED_ATTEMPTS && failed >= attempts * FAILED_SHARE;
}
