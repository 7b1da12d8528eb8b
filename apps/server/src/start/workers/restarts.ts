/** Decides when an ended worker is restarted, and when to give up. */
export interface Restarts {
  /**
   * Records an unexpected end of a worker. Decides when it is restarted.
   * @param number the worker's
   * @param livedMs how long it ran
   * @param othersReady whether another worker serves calls
   * @returns milliseconds to wait before the next try, or "give-up"
   */
  next(number: number, livedMs: number, othersReady: boolean): number | "give-up";
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
/** Minimum run time of a worker that is not in a crash loop. */
const STEADY_MS = 30_000;
/** Maximum quick ends in a row while no other worker serves: the next try would end the same way. */
const MOST_IN_A_ROW = 5;
/** Maximum ends of one worker within a minute, even if others serve. */
const MOST_IN_A_MINUTE = 10;
const MINUTE_MS = 60_000;

export function createRestarts(now: () => number = () => performance.now()): Restarts {
  const inARow = new Map<number, number>();
  const ends = new Map<number, number[]>();
  return {
    next(number, livedMs, othersReady) {
      const row = livedMs >= STEADY_MS ? 1 : (inARow.get(number) ?? 0) + 1;
      inARow.set(number, row);
      const recent = [...(ends.get(number) ?? []).filter((at) => now() - at < MINUTE_MS), now()];
      ends.set(number, recent);
      if ((row >= MOST_IN_A_ROW && !othersReady) || recent.length >= MOST_IN_A_MINUTE) return "give-up";
      return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (row - 1));
    },
  };
}
