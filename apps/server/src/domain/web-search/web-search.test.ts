import { webSearchEngines } from "@gateway/shared/models/web-search";
import { defaultSettings, type Settings } from "@gateway/shared/site/settings";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { searchEngines } from "./engines/index.ts";
import { createWebSearch, hasWebSearch } from "./web-search.ts";

const query = { text: "tea price", count: 5, allowedDomains: ["example.com"], blockedDomains: ["bad.com"] };
const url = "https://example.com/tea";

/** Responses in the form of each service's documentation, and the page in them. */
const responses = {
  searxng: {
    query: "tea price",
    results: [{ url, title: "Tea", content: "12 crowns", engine: "x", publishedDate: "2026-11-01T00:00:00" }],
  },
  brave: {
    type: "search",
    web: {
      type: "search",
      results: [
        {
          url,
          title: "Tea",
          description: "<strong>12</strong> crowns",
          page_age: "2026-11-01T00:00:00",
          age: "November 1, 2026",
        },
      ],
    },
  },
  tavily: {
    query: "tea price",
    answer: null,
    results: [{ url, title: "Tea", content: "12 crowns", score: 0.9, published_date: "2026-11-01T00:00:00" }],
    response_time: 1.1,
  },
  exa: {
    requestId: "r",
    results: [
      { id: url, url, title: "Tea", text: "12 crowns", publishedDate: "2026-11-01T00:00:00", author: null },
    ],
  },
  bing: {
    _type: "SearchResponse",
    webPages: {
      value: [{ id: "1", name: "Tea", url, snippet: "12 crowns", datePublished: "2026-11-01T00:00:00" }],
    },
  },
};

describe.each(webSearchEngines)("search service %s", (id) => {
  const engine = searchEngines[id];

  it("reads the pages of its response", () => {
    const [page] = engine.read(responses[id]);
    expect(page).toEqual({ url, title: "Tea", excerpt: "12 crowns", date: "2026-11-01T00:00:00" });
  });

  it("has the query, the domains and the key in its request", () => {
    const {
      url: to,
      headers,
      body = "",
    } = engine.request(query, { address: "https://search.test", key: "secret" });
    expect(to.startsWith("https://search.test/")).toBe(true);
    const sent = decodeURIComponent(to.replaceAll("+", " ")) + body;
    expect(sent).toContain("tea price");
    expect(sent).toContain("example.com");
    expect(sent).toContain("bad.com");
    expect(Object.values(headers).some((value) => value.includes("secret"))).toBe(true);
    expect(to).not.toContain("secret");
  });

  it("refuses a body that is no response of the service", () => {
    expect(() => engine.read("<html>")).toThrow();
  });

  it("reads a list of pages until its first fault", () => {
    const pages = Array.from({ length: 1_000 }, () => ({}));
    const body = { results: pages, web: { results: pages }, webPages: { value: pages } };
    let error: unknown;
    try {
      engine.read(body);
    } catch (thrown) {
      error = thrown;
    }
    expect((error as z.ZodError).issues).toHaveLength(1);
  });
});

it("a service without its key or address is not configured", () => {
  const settings = (values: Partial<Settings>) => hasWebSearch({ ...defaultSettings, ...values });
  expect(settings({})).toBe(false);
  expect(settings({ WebSearchEngine: "brave" })).toBe(false);
  expect(settings({ WebSearchEngine: "brave", WebSearchKey: "k" })).toBe(true);
  expect(settings({ WebSearchEngine: "searxng" })).toBe(false);
  expect(settings({ WebSearchEngine: "searxng", WebSearchAddress: "http://10.0.0.1:8080" })).toBe(true);
});

it("cached results expire", async () => {
  let at = 0;
  let requests = 0;
  const search = createWebSearch({
    settings: { current: () => ({ ...defaultSettings, WebSearchEngine: "tavily", WebSearchKey: "k" }) },
    fetch: () => {
      requests += 1;
      return Promise.resolve(Response.json(responses.tavily));
    },
    now: () => at,
  });
  await search.search(1, query);
  await search.search(1, query);
  expect(requests).toBe(1);
  at = 10 * 60_000;
  await search.search(1, query);
  expect(requests).toBe(2);
});

it("a query that is empty or too long reaches no service", async () => {
  const search = createWebSearch({
    settings: { current: () => ({ ...defaultSettings, WebSearchEngine: "tavily", WebSearchKey: "k" }) },
    fetch: () => Promise.reject(new Error("not expected")),
    now: () => 0,
  });
  expect(await search.search(1, { ...query, text: " " })).toMatchObject({ failure: "invalid_query" });
  expect(await search.search(1, { ...query, text: "x".repeat(1_000) })).toMatchObject({
    failure: "query_too_long",
  });
});

it("an account has ten searches at a time, and the others of it wait", async () => {
  const waiting: (() => void)[] = [];
  let isFast = false;
  const search = createWebSearch({
    settings: { current: () => ({ ...defaultSettings, WebSearchEngine: "tavily", WebSearchKey: "k" }) },
    fetch: async () => {
      if (!isFast) await new Promise<void>((resolve) => waiting.push(resolve));
      return Response.json(responses.tavily);
    },
    now: () => 0,
  });
  const begin = (account: number, number: number) =>
    search.search(account, { ...query, text: `${account}-${number}` });
  const crowd = Array.from({ length: 51 }, (_, number) => begin(1, number));
  expect(await crowd[50]).toMatchObject({ failure: "too_many_requests" });
  expect(waiting).toHaveLength(10);
  const other = begin(2, 0);
  waiting[10]?.();
  expect(await other).toHaveProperty("pages");
  isFast = true;
  for (const answer of waiting) answer();
  for (const outcome of await Promise.all(crowd.slice(0, 50))) expect(outcome).toHaveProperty("pages");
});
