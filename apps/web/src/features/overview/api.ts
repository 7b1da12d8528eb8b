import type { Overview } from "@gateway/shared/usage/overview";
import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { asSent, http } from "#lib/http.ts";
import { type Connection, useLiveEvents } from "#lib/live/live-events.ts";

export const overviewQuery = queryOptions({
  queryKey: ["overview"],
  queryFn: () => http.get("/overview", asSent<Overview>()),
  // Events trigger updates.
  staleTime: 60_000,
});

/** Keeps the overview live while the page is visible. */
export function useLiveOverview(): [Connection, () => void] {
  const client = useQueryClient();
  return useLiveEvents({
    path: () => {
      const seen = client.getQueryData(overviewQuery.queryKey)?.version ?? "";
      return `/overview/events?seen=${encodeURIComponent(seen)}`;
    },
    onEvent: (data) => client.setQueryData(overviewQuery.queryKey, data as Overview),
  });
}
