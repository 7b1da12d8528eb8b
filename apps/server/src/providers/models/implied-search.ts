import type { Usage } from "#dialects/ir.ts";
import type { Provider } from "#providers/provider.ts";

/** OpenAI's models that search for every response, by the names in the price list. */
export const openaiSearches = /^gpt-[\w.-]+-search-(?:preview|api)/;

type Searching = Pick<Provider, "searches">;

/** Returns whether the model searches for every response, whatever is requested. */
export function alwaysSearches({ searches }: Searching, model: string): boolean {
  return searches?.test(model) === true;
}

/** Adds the search of such a model to the usage of a response, if the provider did not count it. Pure. */
export function withImpliedSearch(provider: Searching, model: string, usage: Usage): Usage {
  return alwaysSearches(provider, model) ? withOneSearch(usage) : usage;
}

/** Returns the usage with at least one search. */
export function withOneSearch(usage: Usage): Usage {
  if (usage.toolCalls?.["web-search"] !== undefined) return usage;
  return { ...usage, toolCalls: { ...usage.toolCalls, "web-search": 1 } };
}
