import type { Usage } from "#dialects/ir.ts";
import type { Provider } from "./provider.ts";

/** OpenAI's models that search for every answer, by the names that the price list has. */
export const openaiSearches = /^gpt-[\w.-]+-search-(?:preview|api)/;

/** The counts of an answer with the search that was made for it, where no one counted it. Pure. */
export function withImpliedSearch(
  { searches }: Pick<Provider, "searches">,
  model: string,
  usage: Usage,
): Usage {
  if (searches?.test(model) !== true || usage.toolCalls?.["web-search"] !== undefined) return usage;
  return { ...usage, toolCalls: { ...usage.toolCalls, "web-search": 1 } };
}
