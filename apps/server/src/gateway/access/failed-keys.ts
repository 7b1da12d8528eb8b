import { GatewayError } from "#errors.ts";
import { networkOf } from "#platform/http/network-of.ts";

/**
 * Limits wrong API keys per address, so that guessing neither succeeds nor loads the database. Keys known to
 * this node are unaffected: one bad client must not lock out others behind a shared address.
 */
export interface FailedKeys {
  /** Throws `rate_limit_exceeded` while the address has no failures left. */
  require(address: string): void;
  /** Counts one failure. */
  note(address: string): void;
}

/** Failures that an address may have at once, and failures regained per second. */
const BURST = 100;
const PER_SECOND = 1;
const MAX_ADDRESSES = 50_000;

interface FailedKeysOptions {
  now?: () => number;
  /** Number of processes behind one port. An address may reach any of them, so each allows its share. */
  workers?: number;
}

export function createFailedKeys({
  now = performance.now.bind(performance),
  workers = 1,
}: FailedKeysOptions = {}): FailedKeys {
  const burst = Math.max(1, BURST / workers);
  const perSecond = PER_SECOND / workers;
  /** Failures left, and the time of that count. Oldest first. */
  const left = new Map<string, { count: number; at: number }>();

  function current(network: string): number {
    const known = left.get(network);
    if (known === undefined) return burst;
    return Math.min(burst, known.count + ((now() - known.at) / 1_000) * perSecond);
  }

  return {
    require(address) {
      const count = current(networkOf(address));
      if (count >= 1) return;
      throw new GatewayError(
        "rate_limit_exceeded",
        { reason: "wrong_keys_from_address" },
        { retryAfter: Math.ceil((1 - count) / perSecond) },
      );
    },
    note(address) {
      const network = networkOf(address);
      const count = Math.max(0, current(network) - 1);
      // Re-inserted, so that the first entry is the one without failures for the longest time.
      left.delete(network);
      left.set(network, { count, at: now() });
      if (left.size <= MAX_ADDRESSES) return;
      const oldest = left.keys().next();
      if (!oldest.done) left.delete(oldest.value);
    },
  };
}
