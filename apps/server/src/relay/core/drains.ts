/**
 * Answers that are read on although their client disconnected, to learn the provider's usage. Bounded in time, bytes
 * and number, so that clients that connect and leave cannot keep a process busy.
 */
export interface Drains {
  /** Answers being read on. */
  readonly active: number;
  /**
   * Undefined when nothing is read on; the upstream call is to be cancelled then. `cancel` is called at a limit. Where
   * there are too many, the oldest ends: usage arrives soon or not at all, so no client can fill the places and leave before
   * the bills of later calls.
   */
  begin(userId: number, cancel: () => void): Drain | undefined;
  /** Cancels all, also those that begin later: the process stops. */
  close(): void;
}

export interface Drain {
  /** Counts bytes that were read for no client. */
  received(bytes: number): void;
  end(): void;
}

export interface DrainLimits {
  /** Answers at once, and of one account. */
  calls: number;
  callsOfOneUser: number;
  /** Bytes of one answer, and of all that are read on at once. */
  bytes: number;
  bytesOfAll: number;
}

const MEGABYTE = 1024 * 1024;
const defaults: DrainLimits = {
  calls: 200,
  callsOfOneUser: 50,
  bytes: 32 * MEGABYTE,
  bytesOfAll: 256 * MEGABYTE,
};

/** @param seconds how long one answer may be read on; 0 = never */
export function createDrains(seconds: () => number, limits = defaults): Drains {
  /** The oldest first. */
  const running = new Set<() => void>();
  const runningOf = new Map<number, Set<() => void>>();
  let bytes = 0;
  let closed = false;
  return {
    get active() {
      return running.size;
    },
    begin(userId, cancel) {
      const patience = seconds() * 1_000;
      if (closed || patience === 0) return undefined;
      const own = runningOf.get(userId) ?? new Set();
      if (own.size >= limits.callsOfOneUser) stopOldest(own);
      else if (running.size >= limits.calls) stopOldest(running);
      let read = 0;
      let ended = false;
      const end = () => {
        if (ended) return;
        ended = true;
        clearTimeout(timer);
        bytes -= read;
        running.delete(stop);
        own.delete(stop);
        if (own.size === 0 && runningOf.get(userId) === own) runningOf.delete(userId);
      };
      const stop = () => {
        end();
        cancel();
      };
      const timer = setTimeout(stop, patience);
      running.add(stop);
      own.add(stop);
      runningOf.set(userId, own);
      return {
        received(more) {
          if (ended) return;
          read += more;
          bytes += more;
          if (read > limits.bytes) stop();
          while (bytes > limits.bytesOfAll && running.size > 0) stopOldest(running);
        },
        end,
      };
    },
    close() {
      closed = true;
      for (const stop of running) stop();
    },
  };
}

function stopOldest(drains: ReadonlySet<() => void>): void {
  const [oldest] = drains;
  oldest?.();
}
