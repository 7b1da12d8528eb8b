import { currentTime } from "#platform/clock.ts";

export const hourMs = 3_600_000;

/** A call belongs to the hour in which it began, and is logged when it ends: hours stay open for one more hour. */
const OPEN_HOURS = 1;

/** Returns the end of the last hour that can be exported at a time. */
export function closedUntil(now = currentTime()): Date {
  return new Date(Math.floor(now.getTime() / hourMs - OPEN_HOURS) * hourMs);
}

export function nextHour(hour: Date): Date {
  return new Date(hour.getTime() + hourMs);
}
