import { z } from "zod";
import { listOf } from "#dialects/list-of.ts";
import { plainText, type SearchEngine, textWithDomains } from "#domain/web-search/engine.ts";

const answer = z.object({
  results: listOf(
    z.object({
      url: z.string(),
      title: z.string().nullish(),
      content: z.string().nullish(),
      publishedDate: z.string().nullish(),
    }),
  ),
});

/** https://docs.searxng.org/dev/search_api.html, read 2026-11-28. The server must allow the format `json`. */
export const searxng: SearchEngine = {
  id: "searxng",
  address: "",
  needsKey: false,
  request(query, { address, key }) {
    const parameters = new URLSearchParams({ q: textWithDomains(query), format: "json" });
    return {
      method: "GET",
      url: `${address}/search?${parameters.toString()}`,
      headers: { accept: "application/json", ...(key !== "" && { authorization: `Bearer ${key}` }) },
    };
  },
  read: (value) =>
    answer.parse(value).results.map(({ url, title, content, publishedDate }) => ({
      url,
      title: plainText(title),
      excerpt: plainText(content),
      date: publishedDate ?? "",
    })),
};
