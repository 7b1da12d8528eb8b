/** The last 24 hours and the preceding 24, in whole hours of the roll-ups. Pure. */
import { OVERVIEW_HOURS } from "@gateway/shared/usage/overview";
import type { Span } from "#domain/usage/pieces.ts";

const hourMs = 3_600_000;

export interface TwoDays {
  /** Both days, from the first hour of the earlier one until now. */
  span: Span;
  /** Starts of the hours of both days, oldest first; the last one has begun. */
  hours: Date[];
  /** First hour of the later day. */
  since: Date;
  /** Last hour of the earlier day. Only a share of it lies before this time of yesterday. */
  cutHour: Date;
  /** Elapsed share of the current hour, from 0 to 1. */
  share: number;
}

export function readTwoDays(now: Date): TwoDays {
  const begun = Math.floor(now.getTime() / hourMs) * hourMs;
  const count = 2 * OVERVIEW_HOURS;
  const hours = Array.from({ length: count }, (_, hour) => new Date(begun - (count - 1 - hour) * hourMs));
  const first = new Date(begun - (count - 1) * hourMs);
  return {
    span: { from: first, to: now },
    hours,
    since: new Date(begun - (OVERVIEW_HOURS - 1) * hourMs),
    cutHour: new Date(begun - OVERVIEW_HOURS * hourMs),
    share: (now.getTime() - begun) / hourMs,
  };
}

/** Sums 48 hourly values into two days. The earlier day's last hour counts by the elapsed share only. */
export function compareDays(hourly: readonly number[], { share }: TwoDays): { now: number; before: number } {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const last = OVERVIEW_HOURS - 1;
  return {
    now: sum(hourly.slice(OVERVIEW_HOURS)),
    before: Math.round(sum(hourly.slice(0, last)) + (hourly[last] ?? 0) * share),
  };
}
