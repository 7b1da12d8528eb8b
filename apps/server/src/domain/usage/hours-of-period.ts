import { localDate, startOfDay } from "#platform/local-days.ts";
import type { Span } from "./pieces.ts";

const hourMs = 3_600_000;

/**
 * Returns the whole hours of a period, as usage is stored. An hour belongs to the day in which it begins: where days
 * begin between two hours of UTC, as in India, the hour around midnight is no part of a period that begins then.
 */
export function hoursOfPeriod({ from, to, timeZone }: { from: Date; to: Date; timeZone: string }): Span {
  const dayStart = firstHourFrom(startOfDay(localDate(from, timeZone), timeZone)).getTime();
  const first = Math.max(Math.floor(from.getTime() / hourMs) * hourMs, dayStart);
  return { from: new Date(first), to: new Date(Math.max(first, firstHourFrom(to).getTime())) };
}

/** Returns the beginning of the first hour that does not begin before the instant. */
export function firstHourFrom(instant: Date): Date {
  return new Date(Math.ceil(instant.getTime() / hourMs) * hourMs);
}
