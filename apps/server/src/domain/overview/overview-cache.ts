import { describeOverview, type OverviewDeps } from "./overview.ts";

/** One computation for all readers of this node: it lasts some seconds, and longer when it took longer. */

const LASTS_MS = 3_000;
/** Computing takes at most this share of the time, however large the site is. */
const MOST_SHARE = 0.1;

type Described = Awaited<ReturnType<typeof describeOverview>>;

export interface OverviewCache {
  /** Rejects when the database does not answer; the next reader tries again. */
  read(): Promise<Described>;
}

/** @param now milliseconds of a clock that never goes back */
export function createOverviewCache(deps: OverviewDeps, now = () => performance.now()): OverviewCache {
  let current: Promise<Described> | undefined;
  let until = 0;

  async function compute(): Promise<Described> {
    const began = now();
    until = Infinity;
    try {
      return await describeOverview(deps);
    } catch (error) {
      current = undefined;
      throw error;
    } finally {
      const took = now() - began;
      until = began + Math.max(LASTS_MS, took / MOST_SHARE);
    }
  }

  return {
    read() {
      if (current === undefined || now() >= until) current = compute();
      return current;
    },
  };
}
