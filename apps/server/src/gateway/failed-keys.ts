import { GatewayError } from "#errors.ts";
import { networkOf } from "#platform/network-of.ts";

/**
 * Wrong API keys per address: guessing keys must neither succeed nor keep the database busy. Keys that this node knows
 * are not affected, so that one bad client behind a shared address does not lock out the others.
 */
export interface FailedKeys {
  /** Throws `rate_limit_exceeded` while the address has used its failures up. */
  require(address: string): void;
  /** Counts one failure. */
  note(address: string): void;
}

/** Failures that an address may have at once, and how many of them it gets back per second. */
const BURST = 100;
const PER_SECOND = 1;
const MAX_ADDRESSES = 50_000;

interface FailedKeysOptions {
  now?: () => number;
  /** Processes behind one port: an address may come to any of them, so each allows its part. */
  workers?: number;
}

export function createFailedKeys({
  now = performance.now.bind(performance),
  workers = 1,
}: FailedKeysOptions = {}): FailedKeys {
  const burst = Math.max(1, BURST / workers);
  const perSecond = PER_SECOND / workers;
  /** Failures left, and when that was counted. Oldest first. */
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
      // At the end again: the first entries are those without failures for the longest time.
      left.delete(network);
      left.set(network, { count, at: now() });
      if (left.size <= MAX_ADDRESSES) return;
      const oldest = left.keys().next();
      if (!oldest.done) left.delete(oldest.value);
    },
  };
}
