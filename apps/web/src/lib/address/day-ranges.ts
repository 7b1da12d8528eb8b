/**
 * The periods that screens offer. "Last 7 days" is the same on each: today and the six days before it, from midnight
 * in the user's time zone. Periods of hours count back from now. Pure.
 */
import { phrase } from "#lib/i18n.ts";

/** Days of each period, today included. */
const daysIn = { today: 1, "7d": 7, "30d": 30, "90d": 90 } as const;
export type DayRange = keyof typeof daysIn;

export const dayRangeTexts: Record<DayRange, string> = {
  today: phrase("Today"),
  "7d": phrase("Last 7 days"),
  "30d": phrase("Last 30 days"),
  "90d": phrase("Last 90 days"),
};

/** Returns the local midnight at which a day begins. @param text YYYY-MM-DD */
export function localDay(text: string): Date {
  const [year = 2000, month = 1, day = 1] = text.split("-").map(Number);
  return new Date(year, month - 1, day);
}

/** Returns the local midnight at which the period begins. */
export function startOf(range: DayRange, now: Date): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1 - daysIn[range]);
}
