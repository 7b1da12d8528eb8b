import { z } from "zod";
import { listOf } from "#dialects/list-of.ts";
import { plainText, type SearchEngine, textWithDomains } from "#domain/web-search/engine.ts";

const page = z.object({
  url: z.string(),
  title: z.string().nullish(),
  description: z.string().nullish(),
  page_age: z.string().nullish(),
  extra_snippets: listOf(z.string()).nullish(),
});
const answer = z.object({ web: z.object({ results: listOf(page) }).nullish() });

/** Most pages of one response. */
const MOST_PAGES = 20;

/** https://api-dashboard.search.brave.com/app/documentation/web-search, read 2026-11-28. */
export const brave: SearchEngine = {
  id: "brave",
  address: "https://api.search.brave.com",
  needsKey: true,
  request(query, { address, key }) {
    const parameters = new URLSearchParams({
      q: textWithDomains(query),
      count: String(Math.min(query.count, MOST_PAGES)),
    });
    return {
      method: "GET",
      url: `${address}/res/v1/web/search?${parameters.toString()}`,
      headers: { "x-subscription-token": key },
    };
  },
  read: (value) =>
    (answer.parse(value).web?.results ?? []).map(({ url, title, description, page_age, extra_snippets }) => ({
      url,
      title: plainText(title),
      excerpt: [plainText(description), ...(extra_snippets ?? []).map(plainText)].join("\n"),
      date: page_age ?? "",
    })),
};
