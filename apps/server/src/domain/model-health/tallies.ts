/**
 * Served and failed calls of every model per period. Reads roll-ups, and failed calls up to a maximum number.
 */
import { closedUntil, usageByDayAndKey } from "#domain/usage/usage.ts";
import type { Pool } from "#platform/database/db.ts";
import { type CallCounts, unavailableCalls } from "./unavailable.ts";

interface Periods {
  starts: readonly Date[];
  now: Date;
  /** Maximum number of failed calls to read. */
  mostFailed: number;
  /** Nothing is known about periods that start earlier. */
  knownFrom?: Date;
}

/** Returns one tally per period for each model. Periods without data have no calls. */
export async function talliesByModel(
  pool: Pool,
  { starts, now, mostFailed, knownFrom }: Periods,
): Promise<Map<string, CallCounts[]>> {
  const [first] = starts;
  if (first === undefined) return new Map();
  const closed = await closedUntil(pool);
  const [usage, unavailable] = await Promise.all([
    usageByDayAndKey(pool, {
      by: "model",
      span: { from: first, to: now },
      closed,
      days: starts.map((start) => ({ date: "", start })),
    }),
    unavailableCalls(pool, starts, mostFailed),
  ]);
  const from = Math.max(unavailable.from.getTime(), knownFrom?.getTime() ?? 0);
  const isKnown = (place: number) => (starts[place]?.getTime() ?? 0) >= from;
  const models = new Map<string, CallCounts[]>();
  function tallyOf(model: string, place: number): CallCounts | undefined {
    let tallies = models.get(model);
    if (tallies === undefined) {
      tallies = starts.map(() => ({ served: 0, failed: 0 }));
      models.set(model, tallies);
    }
    return isKnown(place) ? tallies[place] : undefined;
  }
  for (const { key, day, request_count } of usage) {
    const tally = tallyOf(key, day);
    if (tally !== undefined) tally.served += request_count;
  }
  for (const [model, places] of unavailable.counts)
    for (const [place, count] of places) {
      const tally = tallyOf(model, place);
      if (tally !== undefined) tally.failed += count;
    }
  return models;
}
