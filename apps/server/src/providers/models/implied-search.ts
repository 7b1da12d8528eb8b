import type { Usage } from "#dialects/ir.ts";
import type { Provider } from "#providers/provider.ts";

/** OpenAI's models that search for every response, by the names in the price list. */
export const openaiSearches = /^gpt-[\w.-]+-search-(?:preview|api)/;

/** Adds the search of such a model to the usage of a response, if the provider did not count it. Pure. */
export function withImpliedSearch(
  { searches }: Pick<Provider, "searches">,
  model: string,
  usage: Usage,
): Usage {
  if (searches?.test(model) !== true || usage.toolCalls?.["web-search"] !== undefined) return usage;
  return { ...usage, toolCalls: { ...usage.toolCalls, "web-search": 1 } };
}
