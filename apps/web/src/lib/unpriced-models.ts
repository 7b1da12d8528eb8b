/** Finds models whose calls would be refused for a missing price. Pure. */
import type { PriceRow } from "@gateway/shared/billing/price";

/** Returns the models for which no price exists, neither by name nor by a pattern. Patterns themselves are left out. */
export function unpricedModels(models: readonly string[], prices: readonly PriceRow[]): string[] {
  const exact = new Set(prices.map((row) => row.model));
  const beginnings = prices.filter((row) => row.model.endsWith("*")).map((row) => row.model.slice(0, -1));
  return [...new Set(models)].filter(
    (name) =>
      !name.endsWith("*") && !exact.has(name) && !beginnings.some((beginning) => name.startsWith(beginning)),
  );
}
