/**
 * The period that another one is compared with: of the same length, and up to the same time while the period has not
 * ended. "Today" at noon is compared with yesterday until noon. Pure.
 */
import type { UsageSum } from "@gateway/shared/usage/analytics";
import type { LocalDay } from "#platform/local-days.ts";
import { counters, sumOf } from "./counters.ts";
import type { Span } from "./pieces.ts";

const hourMs = 3_600_000;

export interface PreviousPeriod {
  /** Whole hours, up to the end of the hour that is cut. */
  span: Span;
  /** Start of the period, and of the hour of which only `share` counts. */
  days: [LocalDay, LocalDay];
  /** From 0 to 1. */
  share: number;
}

/** @param span whole hours */
export function previousPeriod(span: Span, now: Date): PreviousPeriod {
  const length = span.to.getTime() - span.from.getTime();
  const from = new Date(span.from.getTime() - length);
  const end = Math.max(from.getTime(), Math.min(span.to.getTime(), now.getTime()) - length);
  const cut = Math.floor(end / hourMs) * hourMs;
  return {
    span: { from, to: new Date(Math.min(span.from.getTime(), cut + hourMs)) },
    days: [from, new Date(cut)].map((start) => ({ date: "", start })) as [LocalDay, LocalDay],
    share: (end - cut) / hourMs,
  };
}

/** Returns the sum of rows by `days` of a previous period; the last hour counts by its share. */
export function sumOfPrevious(
  rows: readonly (UsageSum & { day: number })[],
  { share }: Pick<PreviousPeriod, "share">,
): UsageSum {
  const sum = sumOf(undefined);
  for (const row of rows)
    for (const counter of counters) sum[counter] += row[counter] * (row.day === 1 ? share : 1);
  for (const counter of counters) sum[counter] = Math.round(sum[counter]);
  return sum;
}
