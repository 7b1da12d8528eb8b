/**
 * What a call with web searches of the gateway can use at most. The model is asked again after each round of searches, with
 * everything that came before, so its input grows. The rounds obey the same limits. Pure.
 */
import type { Usage } from "#dialects/ir.ts";
import { gatewaySearch } from "#dialects/tools/search-forms.ts";

/** Tokens of the result of one search. */
export const tokensPerSearch = 4_000;
/** Tokens that a model may write in a round that ends with a search. */
const tokensPerRound = 2_000;

const inputKinds = ["input", "cacheWrite5m", "cacheWrite1h", "imageInput", "audioInput"] as const;

/** Returns the most input that the rounds after the first add to it, beyond the request itself. */
export function mostGrowth(searches: number): number {
  return ((tokensPerSearch + tokensPerRound) * searches * (searches + 1)) / 2;
}

/** Returns the usage of all rounds. @param most usage of a call without searches */
export function withSearches(most: Usage, searches: number): Usage {
  const usage: Usage = { ...most, toolCalls: { ...most.toolCalls, [gatewaySearch]: searches } };
  const growth = mostGrowth(searches);
  for (const kind of inputKinds) {
    const tokens = most[kind];
    if (tokens === undefined) continue;
    const isText = kind !== "imageInput" && kind !== "audioInput";
    usage[kind] = tokens * (searches + 1) + (isText ? growth : 0);
  }
  return usage;
}
