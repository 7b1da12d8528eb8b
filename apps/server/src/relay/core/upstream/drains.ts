import { GatewayError } from "#errors.ts";

/**
 * Drains: responses that are still read after their client disconnected, to learn the provider's usage. No drain
 * ends because there are others: that would make its response cheaper. An account with too many of them makes
 * new calls when some have ended.
 */
export interface Drains {
  /** Number of active drains. */
  readonly active: number;
  /**
   * Begins a drain. Returns undefined when the response must not be drained; the caller then cancels the
   * upstream request. Calls `cancel` at a limit.
   */
  begin(userId: number, cancel: () => void, extent?: DrainExtent): Drain | undefined;
  /** Throws `rate_limit_exceeded` for a new call of an account with too many drains. */
  requireFew(userId: number): void;
  /** Cancels all drains, including later ones. Used at shutdown. */
  close(): void;
}

/**
 * How much of a response is read after its client left. `usage`: for a few seconds, because its text shows what it
 * costs. `end`: all of it. `always`: all of it, also where no response is drained: its provider works on whatever is
 * read, and only the response tells on what.
 */
export type DrainExtent = "usage" | "end" | "always";

export interface Drain {
  /** Counts bytes read after the client disconnected. */
  received(bytes: number): void;
  end(): void;
}

export interface DrainLimits {
  /** Concurrent drains in total, and per account, from which on new calls are refused. */
  calls: number;
  callsOfOneUser: number;
  /** Bytes of one response. */
  bytes: number;
}

const MEGABYTE = 1024 * 1024;
const defaults: DrainLimits = { calls: 200, callsOfOneUser: 50, bytes: 32 * MEGABYTE };

/** Longest drain of a response that is read to its end. Its own limits end it earlier. */
const LONGEST_MS = 3_600_000;
const RETRY_SECONDS = 5;

/** @param seconds maximum time to drain a response whose text shows what it costs; 0 = only what is always read */
export function createDrains(seconds: () => number, limits = defaults): Drains {
  const running = new Set<() => void>();
  const runningOf = new Map<number, number>();
  let closed = false;

  /** Where all are too many, each account may have an equal part of them. */
  function mostOf(): number {
    if (running.size < limits.calls) return limits.callsOfOneUser;
    return Math.min(limits.callsOfOneUser, Math.floor(limits.calls / Math.max(1, runningOf.size)));
  }

  return {
    get active() {
      return running.size;
    },
    requireFew(userId) {
      const own = runningOf.get(userId) ?? 0;
      if (own === 0 || own < mostOf()) return;
      const details = { retryAfter: RETRY_SECONDS };
      throw new GatewayError("rate_limit_exceeded", { reason: "abandoned_calls", calls: own }, details);
    },
    begin(userId, cancel, extent = "usage") {
      const patience = seconds() * 1_000;
      if (closed || (patience === 0 && extent !== "always")) return undefined;
      let read = 0;
      let ended = false;
      const end = () => {
        if (ended) return;
        ended = true;
        clearTimeout(timer);
        running.delete(stop);
        const left = (runningOf.get(userId) ?? 1) - 1;
        if (left === 0) runningOf.delete(userId);
        else runningOf.set(userId, left);
      };
      const stop = () => {
        end();
        cancel();
      };
      const timer = setTimeout(stop, extent === "usage" ? patience : LONGEST_MS);
      running.add(stop);
      runningOf.set(userId, (runningOf.get(userId) ?? 0) + 1);
      return {
        received(more) {
          if (ended) return;
          read += more;
          if (read > limits.bytes) stop();
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
