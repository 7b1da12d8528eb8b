/**
 * Answers that are read on although their client disconnected, to learn the provider's usage. Bounded in time, bytes
 * and number, so that clients that connect and leave cannot keep a process busy.
 */
export interface Drains {
  /** Answers being read on. */
  readonly active: number;
  /** Undefined when there are too many; the upstream call is to be cancelled then. `cancel` is called at the limit. */
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
  const running = new Set<() => void>();
  const callsOf = new Map<number, number>();
  let bytes = 0;
  let closed = false;
  return {
    get active() {
      return running.size;
    },
    begin(userId, cancel) {
      const patience = seconds() * 1_000;
      const own = callsOf.get(userId) ?? 0;
      if (closed || patience === 0 || running.size >= limits.calls || own >= limits.callsOfOneUser)
        return undefined;
      let read = 0;
      const timer = setTimeout(cancel, patience);
      running.add(cancel);
      callsOf.set(userId, own + 1);
      return {
        received(more) {
          read += more;
          bytes += more;
          if (read > limits.bytes || bytes > limits.bytesOfAll) cancel();
        },
        end() {
          if (!running.delete(cancel)) return;
          clearTimeout(timer);
          bytes -= read;
          const left = (callsOf.get(userId) ?? 1) - 1;
          if (left === 0) callsOf.delete(userId);
          else callsOf.set(userId, left);
        },
      };
    },
    close() {
      closed = true;
      for (const cancel of running) cancel();
    },
  };
}
