/** The time of an entry, with the date unless it is today. Does not update with the clock. */
import { formatTime } from "#lib/format/quota.ts";
import { currentLocale } from "#lib/i18n.ts";
import classes from "#features/logs/logs.module.css";

/**
 * Returns 14:05:09 in local time.
 * @param seconds unix seconds
 */
export function timeOfDay(seconds: number): string {
  return formatTime(seconds).slice(11);
}

export function TimeCell({ seconds }: { seconds: number }) {
  return (
    <time
      className={classes.time}
      dateTime={new Date(seconds * 1000).toISOString()}
      title={formatTime(seconds)}
    >
      {timeOfDay(seconds)}
      {isToday(seconds) ? null : <span>{dayText(seconds)}</span>}
    </time>
  );
}

function isToday(seconds: number): boolean {
  return formatTime(seconds).slice(0, 10) === formatTime(Date.now() / 1000).slice(0, 10);
}

/** Returns "Nov 3" in the user's language. */
function dayText(seconds: number): string {
  const locale = currentLocale();
  const dayFormat =
    dayFormats.get(locale) ?? new Intl.DateTimeFormat(locale, { month: "short", day: "numeric" });
  dayFormats.set(locale, dayFormat);
  return dayFormat.format(seconds * 1000);
}

/** Cached: formatters are slow to create, and a list has hundreds of times. */
const dayFormats = new Map<string, Intl.DateTimeFormat>();
