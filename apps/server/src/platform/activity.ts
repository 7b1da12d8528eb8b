/**
 * Whether this node has work. A node without requests for a minute rests: what must look for work periodically
 * does so rarely, and at once when the rest ends.
 */
export interface Activity {
  /** Called with each request, and by periodic work that found something to do. */
  touch(): void;
  readonly isResting: boolean;
  /** The node does not rest while this returns true, e.g. because a stream is open. */
  staysAwakeWhile(isBusy: () => boolean): void;
  /** Calls the listener when a rest ends. Returns a function that removes it. */
  onWake(listener: () => void): () => void;
  close(): void;
}

export const REST_AFTER_MS = 60_000;

/** @param restAfterMs milliseconds without a `touch` after which the node rests; infinite = never */
export function createActivity(restAfterMs = REST_AFTER_MS): Activity {
  const listeners = new Set<() => void>();
  const busy: (() => boolean)[] = [];
  let hasWorked = true;
  let isResting = false;
  let timer: NodeJS.Timeout | undefined;

  function watch(): void {
    if (!Number.isFinite(restAfterMs)) return;
    timer = setTimeout(() => {
      if (!hasWorked && !busy.some((isBusy) => isBusy())) {
        isResting = true;
        return;
      }
      hasWorked = false;
      watch();
    }, restAfterMs).unref();
  }

  watch();
  return {
    touch() {
      hasWorked = true;
      if (!isResting) return;
      isResting = false;
      watch();
      for (const listener of listeners) listener();
    },
    get isResting() {
      return isResting;
    },
    staysAwakeWhile: (isBusy) => void busy.push(isBusy),
    onWake(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => clearTimeout(timer),
  };
}

/** For work outside a gateway: a command, a test. */
export const alwaysActive: Activity = {
  touch() {},
  isResting: false,
  staysAwakeWhile() {},
  onWake: () => () => {},
  close() {},
};

export interface PeriodicTask {
  /** Ends the period, and waits for a run in progress. */
  close(): Promise<void>;
}

/**
 * Runs a task again and again, never twice at the same time. The first run is after one period.
 * @param everyMs milliseconds between the end of a run and the next one
 * @param restingMs the same while the node rests; a run follows at once when the rest ends
 * @param run must not reject
 */
export function startPeriodicTask(
  activity: Pick<Activity, "isResting" | "onWake">,
  { everyMs, restingMs = everyMs }: { everyMs: number; restingMs?: number },
  run: () => Promise<unknown>,
): PeriodicTask {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<unknown> | undefined;
  let isClosed = false;

  function schedule(delayMs: number): void {
    clearTimeout(timer);
    timer = setTimeout(start, delayMs).unref();
  }

  function start(): void {
    if (running !== undefined || isClosed) return;
    clearTimeout(timer);
    running = run().finally(() => {
      running = undefined;
      if (!isClosed) schedule(activity.isResting ? restingMs : everyMs);
    });
  }

  schedule(activity.isResting ? restingMs : everyMs);
  const forget = restingMs === everyMs ? () => {} : activity.onWake(start);
  return {
    async close() {
      isClosed = true;
      forget();
      clearTimeout(timer);
      await running;
    },
  };
}
