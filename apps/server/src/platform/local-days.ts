/** Calendar days in a time zone: from one local midnight to the next, even when clocks change in between. */

const dayMs = 86_400_000;

export interface LocalDay {
  /** YYYY-MM-DD */
  date: string;
  start: Date;
}

/** Returns every local day that overlaps [from, to), oldest first. */
export function localDays(from: Date, to: Date, timeZone: string): LocalDay[] {
  const days: LocalDay[] = [];
  let noon = Date.parse(`${localDate(from, timeZone)}T12:00:00Z`);
  for (;;) {
    const date = new Date(noon).toISOString().slice(0, 10);
    const start = startOfDay(date, timeZone);
    if (start >= to) return days;
    days.push({ date, start });
    noon += dayMs;
  }
}

/** Returns today and the days before it, oldest first. */
export function lastLocalDays(count: number, now: Date, timeZone: string): LocalDay[] {
  const noon = Date.parse(`${localDate(now, timeZone)}T12:00:00Z`);
  return Array.from({ length: count }, (_, index) => {
    const date = new Date(noon - (count - 1 - index) * dayMs).toISOString().slice(0, 10);
    return { date, start: startOfDay(date, timeZone) };
  });
}

/** Returns the instant a local day begins. @param date YYYY-MM-DD */
export function startOfDay(date: string, timeZone: string): Date {
  const asUtc = Date.parse(`${date}T00:00:00Z`);
  // The first guess may be off by a clock change. The second is correct.
  const guess = asUtc - offsetAt(asUtc, timeZone);
  const start = new Date(asUtc - offsetAt(guess, timeZone));
  // If the day has no midnight, it begins when clocks go forward, which is the first guess.
  return localDate(start, timeZone) < date ? new Date(guess) : start;
}

export function localDate(instant: Date, timeZone: string): string {
  return new Date(instant.getTime() + offsetAt(instant.getTime(), timeZone)).toISOString().slice(0, 10);
}

export type CalendarPeriod = "day" | "week" | "month";

/** Returns the first day of a period as YYYY-MM-DD. Weeks begin on Monday. */
export function firstDayOf(period: CalendarPeriod, day: string): string {
  if (period === "day") return day;
  if (period === "month") return `${day.slice(0, 7)}-01`;
  const weekday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
  return later(day, -weekday);
}

/** Returns the first day after a period as YYYY-MM-DD. */
export function nextPeriodOf(period: CalendarPeriod, day: string): string {
  const first = firstDayOf(period, day);
  if (period !== "month") return later(first, period === "day" ? 1 : 7);
  const [year = 0, month = 0] = first.split("-").map(Number);
  return new Date(Date.UTC(year, month, 1)).toISOString().slice(0, 10);
}

function later(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);
}

const formats = new Map<string, Intl.DateTimeFormat>();
/** There are about 600 zones, but clients may spell a name in upper and lower case in millions of ways. */
const mostFormats = 1_000;

/** Returns the milliseconds that local time is ahead of UTC. */
function offsetAt(instant: number, timeZone: string): number {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    if (formats.size >= mostFormats) formats.clear();
    formats.set(timeZone, format);
  }
  const part = Object.fromEntries(
    format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000;
}
