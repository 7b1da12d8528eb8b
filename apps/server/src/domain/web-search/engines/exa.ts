import { z } from "zod";
import { listOf } from "#dialects/list-of.ts";
import type { SearchEngine } from "#domain/web-search/engine.ts";

const answer = z.object({
  results: listOf(
    z.object({
      url: z.string(),
      title: z.string().nullish(),
      text: z.string().nullish(),
      publishedDate: z.string().nullish(),
    }),
  ),
});

/** Characters of each page's text. */
const MOST_TEXT = 1_500;

/** https://exa.ai/docs/reference/search, read 2026-11-28. */
export const exa: SearchEngine = {
  id: "exa",
  address: "https://api.exa.ai",
  needsKey: true,
  request: ({ text, count, allowedDomains, blockedDomains }, { address, key }) => ({
    method: "POST",
    url: `${address}/search`,
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({
      query: text,
      numResults: count,
      contents: { text: { maxCharacters: MOST_TEXT } },
      ...(allowedDomains.length > 0 && { includeDomains: allowedDomains }),
      ...(blockedDomains.length > 0 && { excludeDomains: blockedDomains }),
    }),
  }),
  read: (value) =>
    answer.parse(value).results.map(({ url, title, text, publishedDate }) => ({
      url,
      title: title ?? "",
      excerpt: text ?? "",
      date: publishedDate ?? "",
    })),
};
