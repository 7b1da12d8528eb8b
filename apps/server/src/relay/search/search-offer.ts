/**
 * The gateway's own web search: which requests it serves, and the function that a model gets for it instead of a tool of its
 * provider. Pure.
 */
import { longestSearchDomain, mostSearchDomains, mostWebSearches } from "@gateway/shared/models/web-search";
import type { Settings } from "@gateway/shared/site/settings";
import type { Upstream, Wire } from "#dialects/dialect.ts";
import type { ChatRequest, ServerTool, Tool } from "#dialects/ir.ts";
import { type SearchError, type ShownSearch, withSearchCalls } from "#dialects/tools/search-forms.ts";
import { carriedOptions } from "#dialects/tools/server-tool-options.ts";
import { textTokens } from "#domain/pricing/estimate.ts";
import { tokensPerSearch } from "#domain/pricing/search-rounds.ts";
import { hasWebSearch } from "#domain/web-search/web-search.ts";
import { invalidRequest } from "#errors.ts";
import type { Provider } from "#providers/provider.ts";

/** A web search that the gateway runs for one call. */
export interface SearchOffer {
  /** Name of the function, which no function of the client has. */
  readonly name: string;
  /** Most searches of the call. */
  readonly uses: number;
  readonly allowedDomains: readonly string[];
  readonly blockedDomains: readonly string[];
  /** Options of the client's tool that have no effect, by their path. */
  readonly dropped: readonly string[];
}

/** Names of the function, in the order of preference. */
const names = ["web_search", "search_web", "gateway_web_search"];

const options = new Set(["allowedDomains", "blockedDomains", "maxUses"] as const);

/** Returns the search that a request asks for; undefined without one, or while no search service is configured. */
export function searchOfferFor(request: ChatRequest, settings: Settings): SearchOffer | undefined {
  const tool = request.serverTools?.find(isSearch);
  if (tool === undefined || request.toolChoice?.type === "none" || !hasWebSearch(settings)) return undefined;
  const taken = new Set(request.tools?.map((each) => each.name));
  const name = names.find((each) => !taken.has(each));
  if (name === undefined) return undefined;
  const dropped = new Set<string>();
  const { allowedDomains, blockedDomains, maxUses } = carriedOptions(tool, options, dropped);
  const { WebSearchMaxUses } = settings;
  const requested = typeof maxUses === "number" && maxUses >= 1 ? Math.floor(maxUses) : mostWebSearches;
  return {
    name,
    uses: Math.min(requested, WebSearchMaxUses),
    allowedDomains: textsIn(allowedDomains),
    blockedDomains: textsIn(blockedDomains),
    dropped: [...dropped],
  };
}

function isSearch({ kind }: ServerTool): boolean {
  return kind === "web-search";
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

/** Throws `invalid_request` for too many domains: each search compares them with the pages that it found. */
export function requireFewDomains({ allowedDomains, blockedDomains }: SearchOffer): void {
  const limits = { most: mostSearchDomains, characters: longestSearchDomain };
  for (const domains of [allowedDomains, blockedDomains])
    if (domains.length > limits.most || domains.some(({ length }) => length > limits.characters))
      throw invalidRequest({ reason: "too_many_domains", ...limits }, { param: "tools" });
}

/** The type of tool in which every host of Messages that searches knows the search. */
const oldestTool = "web_search_20250305";

/** Returns whether the provider itself runs the searches of a request that is sent to it in this format. */
export function runsSearch({ runsWebSearch = [], messages }: Provider, { id }: Upstream): boolean {
  if (id === "own" || !runsWebSearch.includes(id)) return false;
  return id !== "anthropic" || messages?.tools.test(oldestTool) !== true;
}

/** Returns the request with a function in place of the provider's search. */
export function withSearchFunction(request: ChatRequest, offer: SearchOffer): ChatRequest {
  const others = request.serverTools?.filter((tool) => !isSearch(tool)) ?? [];
  // The sum of several responses with searches of their own could not be shown.
  const { serverTools: _tools, n: _n, ...rest } = request;
  return {
    ...rest,
    messages: withSearchCalls(request, offer.name, resultText),
    tools: [...(request.tools ?? []), functionOf(offer)],
    ...(others.length > 0 && { serverTools: others }),
  };
}

/** Returns the request without the gateway's searches in its history. */
export function withoutSearches(request: ChatRequest): ChatRequest {
  return { ...request, messages: withSearchCalls(request, undefined, resultText) };
}

function functionOf({ name }: SearchOffer): Tool {
  return {
    name,
    description:
      "Searches the web and returns pages with their address, title and an excerpt. Use it for facts that you do not know or that may have changed. When you use a result, cite it as a Markdown link with the address of the page: [title](address).",
    schema: {
      type: "object",
      properties: { query: { type: "string", description: "What to search for, in a few words" } },
      required: ["query"],
      additionalProperties: false,
    },
  };
}

const failures: Record<SearchError, string> = {
  unavailable: "The search failed. Answer without it, or say that the search is not available.",
  too_many_requests: "The search is busy. Answer without it, or say that the search is not available.",
  query_too_long: "The query is too long. Search for fewer words.",
  max_uses_exceeded: "No more searches are allowed. Answer with what you have.",
  invalid_query: 'The arguments must be an object with the text "query".',
};

/** Returns the result of a search as the model reads it, of at most `tokensPerSearch` tokens. */
export function resultText(result: ShownSearch["result"]): string {
  if ("error" in result) return failures[result.error];
  if (result.pages.length === 0) return "No page was found.";
  let text = "";
  let left = tokensPerSearch;
  for (const { url, title, excerpt, date } of result.pages) {
    const entry = `${[`Title: ${title}`, `Address: ${url}`, ...(date === "" ? [] : [`Date: ${date}`]), excerpt].join("\n")}\n\n`;
    left -= textTokens(entry);
    if (left < 0) break;
    text += entry;
  }
  return text.trimEnd();
}

/** Returns the query in the arguments of the function; undefined where there is none. */
export function queryIn(input: string): string | undefined {
  try {
    const { query } = JSON.parse(input) as Wire;
    return typeof query === "string" ? query : undefined;
  } catch {
    return undefined;
  }
}
