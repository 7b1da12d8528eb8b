import type { Bill } from "@gateway/shared/usage/log";

/** Kinds that are part of the input and came from a cache. */
const cacheReads = new Set(["cached_tokens", "cached_read_tokens"]);

/** Returns the share of the input that was read from a cache, 0 to 1. */
export function cachedShare(bill: Bill | null, promptTokens: number): number {
  if (!bill || promptTokens <= 0) return 0;
  const cached = bill.lines
    .filter((line) => cacheReads.has(line.kind))
    .reduce((sum, line) => sum + line.amount, 0);
  return Math.min(1, cached / promptTokens);
}
