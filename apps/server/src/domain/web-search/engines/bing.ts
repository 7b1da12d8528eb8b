import { z } from "zod";
import { listOf } from "#dialects/list-of.ts";
import { plainText, type SearchEngine, textWithDomains } from "#domain/web-search/engine.ts";

const page = z.object({
  url: z.string(),
  name: z.string().nullish(),
  snippet: z.string().nullish(),
  datePublished: z.string().nullish(),
});
const answer = z.object({ webPages: z.object({ value: listOf(page) }).nullish() });

/** Most pages of one response. */
const MOST_PAGES = 50;

/**
 * Services with the format of Bing's Web Search API. Microsoft's own service has ended, so the operator names the address.
 * https://learn.microsoft.com/en-us/bing/search-apis/bing-web-search/reference/response-objects, read 2026-11-28.
 */
export const bing: SearchEngine = {
  id: "bing",
  address: "",
  needsKey: true,
  request(query, { address, key }) {
    const parameters = new URLSearchParams({
      q: textWithDomains(query),
      count: String(Math.min(query.count, MOST_PAGES)),
    });
    return {
      method: "GET",
      url: `${address}/v7.0/search?${parameters.toString()}`,
      headers: { "ocp-apim-subscription-key": key },
    };
  },
  read: (value) =>
    (answer.parse(value).webPages?.value ?? []).map(({ url, name, snippet, datePublished }) => ({
      url,
      title: plainText(name),
      excerpt: plainText(snippet),
      date: datePublished ?? "",
    })),
};
