/** The bars of the chart above the log: also those without calls, from the beginning of the period to its end. */
import type { LogFacets } from "@gateway/shared/usage/log";

type Histogram = LogFacets["histogram"];
type HistogramBar = Histogram["bars"][number];
/** Unix seconds; 0 is open. */
export type Period = { start_timestamp: number; end_timestamp: number };

/** More would be too narrow to click. */
const mostBars = 200;
/** So many that a bar is no wider than a finger, however young the gateway is. */
const fewestBars = 40;

/** @param now Unix seconds: the end of a period that is open */
export function fillHistogram(
  { span, bars, complete }: Histogram,
  period: Period,
  now: number,
): HistogramBar[] {
  const [first, last] = [bars[0], bars.at(-1)];
  if (first === undefined || last === undefined) return [];
  const barByStart = new Map(bars.map((bar) => [bar.starts, bar]));
  const inner = Math.floor((last.starts - first.starts) / span) + 1;
  const steps = (from: number, to: number) => Math.max(0, Math.floor((to - from) / span));
  const after = Math.min(steps(last.starts, period.end_timestamp || now), Math.max(0, mostBars - inner));
  const shown = inner + after;
  // Bars that were not counted are not empty.
  const before = !complete
    ? 0
    : period.start_timestamp > 0
      ? steps(period.start_timestamp, first.starts)
      : Math.max(0, fewestBars - shown);
  const count = Math.min(mostBars, shown + before);
  const start = last.starts + (after - count + 1) * span;
  return Array.from({ length: count }, (_, place) => {
    const starts = start + place * span;
    return barByStart.get(starts) ?? { starts, count: 0, failed: 0 };
  });
}
