/**
 * Drains: responses that are still read after their client disconnected, to learn the provider's usage.
 * Limited in time, bytes and number, so that clients that connect and leave cannot keep a process busy.
 */
export interface Drains {
  /** Number of active drains. */
  readonly active: number;
  /**
   * Begins a drain. Returns undefined when the response must not be drained; the caller then cancels the
   * upstream request. Calls `cancel` at a limit. When there are too many drains, the oldest ends. Usage
   * arrives soon or not at all, so clients that leave cannot fill all places and thereby avoid the bills of
   * later calls.
   */
  begin(userId: number, cancel: () => void): Drain | undefined;
  /** Cancels all drains, including later ones. Used at shutdown. */
  close(): void;
}

export interface Drain {
  /** Counts bytes read after the client disconnected. */
  received(bytes: number): void;
  end(): void;
}

export interface DrainLimits {
  /** Concurrent drains in total, and per account. */
  calls: number;
  callsOfOneUser: number;
  /** Bytes of one response, and of all concurrent drains together. */
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

/** @param seconds maximum time to drain one response; 0 = never */
export function createDrains(seconds: () => number, limits = defaults): Drains {
  /** Oldest first. */
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
