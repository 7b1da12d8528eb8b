/**
 * Searches the web through the operator's search service, for models without a web search of their own. The address of the
 * service may be private, because root configured it. The addresses in its results may not: whoever reads them (a model, its
 * client) must not be led into our network. The gateway fetches none of them.
 */
import type { Settings } from "@gateway/shared/site/settings";
import ipaddr from "ipaddr.js";
import { z } from "zod";
import { isPublicAddress } from "#platform/http/public-fetch.ts";
import { createTurns } from "#platform/turns.ts";
import type { EngineAccess, FoundPage, SearchEngine, SearchQuery } from "./engine.ts";
import { searchEngines } from "./engines/index.ts";

/** Why a search has no results. */
export type SearchFailure = "unavailable" | "too_many_requests" | "query_too_long" | "invalid_query";

export type SearchOutcome =
  | { readonly pages: readonly FoundPage[] }
  | {
      readonly failure: SearchFailure;
      /** For root, who has configured the service. */
      readonly cause: string;
    };

export interface WebSearch {
  /**
   * Never rejects: a search service that fails is a result for the model.
   * @param account who has the search; an account has a few at a time, and others wait
   */
  search(account: number, query: SearchQuery, signal?: AbortSignal): Promise<SearchOutcome>;
}

export interface WebSearchDeps {
  settings: { current(): Settings };
  /** Reaches private addresses, too, and limits the size of a response. */
  fetch: typeof globalThis.fetch;
  /** Milliseconds since 1970. */
  now(): number;
}

const MOST_QUERY_CHARS = 400;
const MOST_TITLE_CHARS = 200;
const MOST_URL_CHARS = 500;
const MOST_EXCERPT_CHARS = 1_500;
/** Searches of this node at the same time. */
const AT_ONCE = 50;
/** Searches of one account at the same time, and those that wait for them. */
const AT_ONCE_OF_ACCOUNT = 10;
const WAITING_OF_ACCOUNT = 40;
/** An agent repeats a search soon, if at all. */
const CACHE_MS = 5 * 60_000;
const MOST_CACHED = 200;

/** Returns whether the operator has configured a search service. */
export function hasWebSearch(settings: Settings): boolean {
  return accessOf(settings) !== undefined;
}

function accessOf(settings: Settings): { engine: SearchEngine; access: EngineAccess } | undefined {
  const { WebSearchEngine: id, WebSearchAddress, WebSearchKey: key } = settings;
  if (id === "") return undefined;
  const engine = searchEngines[id];
  const address = (WebSearchAddress || engine.address).replace(/\/$/, "");
  if (address === "" || (engine.needsKey && key === "")) return undefined;
  return { engine, access: { address, key } };
}

export function createWebSearch({ settings, fetch, now }: WebSearchDeps): WebSearch {
  const cached = new Map<string, { pages: readonly FoundPage[]; until: number }>();
  const turns = createTurns<number>(AT_ONCE_OF_ACCOUNT, WAITING_OF_ACCOUNT, () => new TooManySearches());
  let running = 0;

  function keep(key: string, pages: readonly FoundPage[]): void {
    const [oldest] = cached.keys();
    if (cached.size >= MOST_CACHED && oldest !== undefined) cached.delete(oldest);
    cached.set(key, { pages, until: now() + CACHE_MS });
  }

  async function ask(
    { engine, access }: { engine: SearchEngine; access: EngineAccess },
    query: SearchQuery,
    signal: AbortSignal,
  ): Promise<SearchOutcome> {
    if (running >= AT_ONCE) throw new TooManySearches();
    running += 1;
    try {
      const { url, ...request } = engine.request(query, access);
      const response = await fetch(url, { ...request, redirect: "error", signal });
      if (!response.ok) {
        await response.body?.cancel();
        const failure = response.status === 429 ? "too_many_requests" : "unavailable";
        return { failure, cause: `HTTP ${response.status}` };
      }
      return { pages: usablePages(engine.read(await response.json()), query) };
    } finally {
      running -= 1;
    }
  }

  return {
    async search(account, query, signal) {
      const current = settings.current();
      const found = accessOf(current);
      if (found === undefined) return { failure: "unavailable", cause: "not configured" };
      if (query.text.trim() === "") return { failure: "invalid_query", cause: "no query" };
      if (query.text.length > MOST_QUERY_CHARS) return { failure: "query_too_long", cause: "long query" };
      const key = JSON.stringify([found.engine.id, found.access, query]);
      const known = cached.get(key);
      if (known !== undefined && known.until > now()) return { pages: known.pages };
      const late = AbortSignal.timeout(current.WebSearchTimeoutSeconds * 1_000);
      const either = signal === undefined ? late : AbortSignal.any([late, signal]);
      try {
        const outcome = await turns.run(account, () => ask(found, query, either));
        if ("pages" in outcome) keep(key, outcome.pages);
        return outcome;
      } catch (error) {
        if (error instanceof TooManySearches) return { failure: "too_many_requests", cause: error.message };
        // Timeouts, refused connections, bodies that are too large or no response of the service.
        return { failure: "unavailable", cause: causeOf(error) };
      }
    },
  };
}

class TooManySearches extends Error {
  override readonly message = "too many searches at once";
}

function causeOf(error: unknown): string {
  if (error instanceof z.ZodError || error instanceof SyntaxError) return "not a response of this service";
  if (!(error instanceof Error)) return "unknown";
  if (error.name === "TimeoutError") return "no response in time";
  return error.cause instanceof Error ? error.cause.message : error.message;
}

/** Returns the pages that a client may see, with limits on their texts. */
function usablePages(pages: readonly FoundPage[], query: SearchQuery): FoundPage[] {
  const { allowedDomains, blockedDomains, count } = query;
  return pages
    .filter(({ url }) => {
      const host = publicHost(url);
      if (host === undefined) return false;
      if (blockedDomains.some((domain) => isWithin(host, domain))) return false;
      return allowedDomains.length === 0 || allowedDomains.some((domain) => isWithin(host, domain));
    })
    .slice(0, count)
    .map(({ url, title, excerpt, date }) => ({
      url,
      title: title.slice(0, MOST_TITLE_CHARS).toWellFormed(),
      excerpt: excerpt.slice(0, MOST_EXCERPT_CHARS).toWellFormed(),
      date: date.slice(0, 40).toWellFormed(),
    }));
}

/** A domain of the client may contain a path, which is not compared. */
function isWithin(host: string, domain: string): boolean {
  const name = domain.toLowerCase().split("/", 1)[0] ?? "";
  return host === name || host.endsWith(`.${name}`);
}

/** Names that are resolved inside a network only. */
const localName = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|localdomain|home\.arpa)$/;

/** Returns the host of a public web address; undefined for any other address. */
function publicHost(url: string): string | undefined {
  if (url.length > MOST_URL_CHARS || !URL.canParse(url)) return undefined;
  const { protocol, hostname, username } = new URL(url);
  if (!/^https?:$/.test(protocol) || username !== "") return undefined;
  const host = hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
  if (ipaddr.isValid(host)) return isPublicAddress(host) ? host : undefined;
  return host.includes(".") && !localName.test(host) ? host : undefined;
}
