import { type Recomputed, recomputed } from "#platform/recomputed.ts";
import { describeOverview, type OverviewDeps } from "./overview.ts";

type OverviewCache = Recomputed<Awaited<ReturnType<typeof describeOverview>>>;

/** @param now monotonic clock, in milliseconds */
export function createOverviewCache(deps: OverviewDeps, now?: () => number): OverviewCache {
  return recomputed(() => describeOverview(deps), {
    lastsMs: 3_000,
    mostShare: 0.1,
    ...(now === undefined ? {} : { now }),
  });
}
