import { queryOptions } from "@tanstack/react-query";
import { asSent, http } from "#lib/http.ts";
import { phrase } from "#lib/i18n.ts";

export const homeContentQuery = queryOptions({
  queryKey: ["home-content"],
  queryFn: () => http.get("/home_page_content", asSent<string>()),
  staleTime: 5 * 60_000,
  meta: { failed: phrase("Failed to load home content") },
});

export const aboutQuery = queryOptions({
  queryKey: ["about"],
  queryFn: () => http.get("/about", asSent<string>()),
  staleTime: 5 * 60_000,
  meta: { failed: phrase("Failed to load about content") },
});
