import type { InboxPage, InboxQuery, InboxState } from "@gateway/shared/site/inbox";
import { infiniteQueryOptions, keepPreviousData, useMutation, useQueryClient } from "@tanstack/react-query";
import { asPage, http } from "#lib/http.ts";
import { phrase } from "#lib/i18n.ts";
import { readState, stateQuery } from "./state.ts";

export type InboxFilter = Pick<InboxQuery, "unread" | "kind">;

export const inboxQuery = (filter: InboxFilter, size: number) =>
  infiniteQueryOptions({
    queryKey: ["inbox", "list", filter, size],
    queryFn: ({ pageParam }) => http.get("/inbox", asPage<InboxPage>(), { ...filter, size, page: pageParam }),
    initialPageParam: 1,
    getNextPageParam: ({ page, size: rows, total_count }) =>
      page * rows < total_count ? page + 1 : undefined,
    placeholderData: keepPreviousData,
    meta: { quiet: true },
  });

function useRefresh() {
  const client = useQueryClient();
  return (state: InboxState) => {
    client.setQueryData(stateQuery.queryKey, state);
    return client.invalidateQueries({ queryKey: ["inbox", "list"] });
  };
}

export function useMarkRead() {
  const onSuccess = useRefresh();
  return useMutation({
    mutationFn: (id: number) => http.post(`/inbox/${id}/read`, readState),
    onSuccess,
    meta: { failed: phrase("The notification could not be marked as read") },
  });
}

/** Marks everything up to the latest displayed event as read. */
export function useMarkAllRead() {
  const onSuccess = useRefresh();
  return useMutation({
    mutationFn: (until: number) => http.post("/inbox/read", readState, { until }),
    onSuccess,
    meta: { failed: phrase("The notifications could not be marked as read") },
  });
}
