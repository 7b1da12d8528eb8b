/** Health figures of a channel over 24 hours. Pure. */
import { type HourlyAttempts, isFailing } from "@gateway/shared/usage/channel-health";

type Health = {
  calls: number;
  failed: number;
  /** Share of attempts that succeeded; null without attempts. */
  success: number | null;
};

/**
 * Returns calls and attempts of 24 hours. A call that another
 * channel had to serve counts as a failure of this one.
 */
export function healthOf({ requests, failed, rescued }: HourlyAttempts): Health {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const calls = sum(requests) + sum(rescued);
  const bad = sum(failed) + sum(rescued);
  return { calls, failed: bad, success: calls === 0 ? null : (calls - bad) / calls };
}

export type LiveState = "no-calls" | "healthy" | "some-errors" | "failing";

/**
 * Rates an enabled channel: failing is the present, as in the list of problems on the dashboard; otherwise by its
 * attempts of 24 hours.
 */
export function liveStateOf(hours: HourlyAttempts): LiveState {
  const { success } = healthOf(hours);
  if (success === null) return "no-calls";
  if (isFailing(hours)) return "failing";
  return success >= 0.99 ? "healthy" : "some-errors";
}

/** Returns the attempts of one hour and the number of failed ones. */
export function hourOf(
  { requests, failed, rescued }: HourlyAttempts,
  hour: number,
): { calls: number; failed: number } {
  const more = rescued[hour] ?? 0;
  return { calls: (requests[hour] ?? 0) + more, failed: (failed[hour] ?? 0) + more };
}

/**
 * Returns the hour as "14:00" in the user's time zone.
 * @param since unix seconds of the first hour
 */
export function hourText(since: number, hour: number): string {
  const start = new Date((since + hour * 3_600) * 1000);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(start.getHours())}:${two(start.getMinutes())}`;
}
