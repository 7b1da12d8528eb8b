/** Number of unread notifications. It is on every screen, so it is loaded without the schema library. */
import type { InboxState } from "@gateway/shared/site/inbox";
import { queryOptions } from "@tanstack/react-query";
import { asSent, http } from "#lib/http.ts";

const POLL_MS = 60_000;

export const readState = asSent<InboxState>();

export const stateQuery = queryOptions({
  queryKey: ["inbox", "state"],
  queryFn: () => http.get("/inbox/unread", readState),
  refetchInterval: POLL_MS,
  // Opening the list also fetches the current number.
  staleTime: 0,
  refetchOnWindowFocus: true,
  meta: { quiet: true },
});
