/**
 * One computed value for all readers of this node. It lasts for some time, and longer when computing took
 * longer.
 */
export interface ComputedValue<T> {
  /** Rejects when the computation does. The next reader tries again. */
  read(): Promise<T>;
}

interface Limits {
  lastsMs: number;
  /** Maximum share of the time spent on computing, however large the site is. */
  mostShare: number;
  /** Milliseconds of a monotonic clock. */
  now?: () => number;
}

export function createComputedValue<T>(
  compute: () => Promise<T>,
  { lastsMs, mostShare, now = () => performance.now() }: Limits,
): ComputedValue<T> {
  let current: Promise<T> | undefined;
  let until = 0;

  async function begin(): Promise<T> {
    const began = now();
    until = Infinity;
    try {
      return await compute();
    } catch (error) {
      current = undefined;
      throw error;
    } finally {
      const took = now() - began;
      until = began + Math.max(lastsMs, took / mostShare);
    }
  }

  return {
    read() {
      if (current === undefined || now() >= until) current = begin();
      return current;
    },
  };
}
