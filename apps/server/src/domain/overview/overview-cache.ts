import { type ComputedValue, createComputedValue } from "#platform/computed-value.ts";
import { describeOverview, type OverviewDeps } from "./overview.ts";

type OverviewCache = ComputedValue<Awaited<ReturnType<typeof describeOverview>>>;

/** @param now monotonic clock, in milliseconds */
export function createOverviewCache(deps: OverviewDeps, now?: () => number): OverviewCache {
  return createComputedValue(() => describeOverview(deps), {
    lastsMs: 3_000,
    mostShare: 0.1,
    ...(now === undefined ? {} : { now }),
  });
}
