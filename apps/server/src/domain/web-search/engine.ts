import type { WebSearchEngine } from "@gateway/shared/models/web-search";

/** What to search for. */
export interface SearchQuery {
  readonly text: string;
  /** Number of pages to return. */
  readonly count: number;
  /** Domains to search; empty = all. */
  readonly allowedDomains: readonly string[];
  readonly blockedDomains: readonly string[];
}

/** A page that a search service has found. */
export interface FoundPage {
  readonly url: string;
  readonly title: string;
  /** Text of the page, or its description. */
  readonly excerpt: string;
  /** Date of the page, as the service writes it; "" = unknown. */
  readonly date: string;
}

export interface EngineRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** How to reach a search service. */
export interface EngineAccess {
  /** Without a slash at the end. */
  readonly address: string;
  /** "" for a service without keys. */
  readonly key: string;
}

/** A search service: its request and its response. Pure; a file per service, listed in `engines/index.ts`. */
export interface SearchEngine {
  readonly id: WebSearchEngine;
  /** The public address of the service; "" when only its operator knows it. */
  readonly address: string;
  readonly needsKey: boolean;
  request(query: SearchQuery, access: EngineAccess): EngineRequest;
  /** Returns the pages in the response, best first. Throws for anything that is no response of the service. */
  read(answer: unknown): FoundPage[];
}

/** Most domains in the text of a query. */
const MOST_DOMAINS = 10;

/** Returns the text with the operators that limit it to domains, for services without a parameter for them. */
export function textWithDomains({ text, allowedDomains, blockedDomains }: SearchQuery): string {
  const allowed = allowedDomains.slice(0, MOST_DOMAINS).map((domain) => `site:${domain}`);
  const blocked = blockedDomains.slice(0, MOST_DOMAINS).map((domain) => `-site:${domain}`);
  return [text, ...(allowed.length > 0 ? [allowed.join(" OR ")] : []), ...blocked].join(" ");
}

/** Returns the text without markup, which some services put around the words of the query. */
export function plainText(text: string | null | undefined): string {
  return (text ?? "").replaceAll(/<\/?(?:strong|b|em)>/g, "");
}
