import type { DialectId } from "#dialects/ir.ts";
import type { RequestShape } from "#providers/provider.ts";

/**
 * Returns the dialect order for providers whose web search is a tool of Responses only. A search request in a
 * third dialect is translated to Responses, because chat completions would drop the search.
 */
export function searchesOnResponses(
  ...others: DialectId[]
): (call: Pick<RequestShape, "needs">) => readonly [DialectId, ...DialectId[]] {
  const chatFirst = ["openai-chat", "openai-responses", ...others] as const;
  const responsesFirst = ["openai-responses", "openai-chat", ...others] as const;
  return ({ needs }) => (needs?.has("web-search") === true ? responsesFirst : chatFirst);
}
