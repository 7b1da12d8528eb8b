import { z } from "zod";
import { listOf } from "#dialects/list-of.ts";
import type { SearchEngine } from "#domain/web-search/engine.ts";

const answer = z.object({
  results: listOf(
    z.object({
      url: z.string(),
      title: z.string().nullish(),
      content: z.string().nullish(),
      published_date: z.string().nullish(),
    }),
  ),
});

/** https://docs.tavily.com/documentation/api-reference/endpoint/search, read 2026-11-28. */
export const tavily: SearchEngine = {
  id: "tavily",
  address: "https://api.tavily.com",
  needsKey: true,
  request: ({ text, count, allowedDomains, blockedDomains }, { address, key }) => ({
    method: "POST",
    url: `${address}/search`,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      query: text,
      max_results: count,
      ...(allowedDomains.length > 0 && { include_domains: allowedDomains }),
      ...(blockedDomains.length > 0 && { exclude_domains: blockedDomains }),
    }),
  }),
  read: (value) =>
    answer.parse(value).results.map(({ url, title, content, published_date: date }) => ({
      url,
      title: title ?? "",
      excerpt: content ?? "",
      date: date ?? "",
    })),
};
