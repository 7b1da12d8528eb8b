/** The site's announcement: Markdown, "" for none. */
import { queryOptions } from "@tanstack/react-query";
import { asSent, http } from "#lib/http.ts";

export const noticeQuery = queryOptions({
  queryKey: ["notice"],
  queryFn: () => http.get("/notice", asSent<string>()),
  staleTime: 5 * 60_000,
});
