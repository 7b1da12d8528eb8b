/** The request log, as far as the user may see it. */
import type { LogBodies, LogFacets, LogPage, LogRow, LogQuery, LogTotals } from "@gateway/shared/usage/log";
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { asPage, asSent, http } from "#lib/http.ts";
import { allChannels, findChannels, nameOfChannel } from "#lib/queries/channels.ts";
import { allLogs } from "#lib/queries/logs.ts";
import { type LogFilter, logWindow } from "./filters/log-filter.ts";

/** Everyone's rows are for administrators. */
export type LogScope = "everybody" | "own";

/** The server sorts this many of the newest rows and numbers their pages. */
export const MOST_SORTED = 10_000;

const paths = { everybody: "/log", own: "/log/self" } as const;

/** Builds the server's query. "today" is resolved to the current day. */
function queryFor(filter: LogFilter): LogQuery {
  const { range: _range, view: _view, from: _from, to: _to, ...rest } = filter;
  return { ...rest, cursor: "", ...logWindow(filter, new Date()) };
}

/** Newest first with cursor pages. Any other order has numbered pages and covers only the newest rows. */
export const logsQuery = (scope: LogScope, filter: LogFilter) =>
  infiniteQueryOptions({
    queryKey: [...allLogs, "list", scope, filter],
    queryFn: ({ pageParam }) => {
      const place = filter.order === "" ? { cursor: pageParam } : { page: Number(pageParam || 1) };
      return http.get(paths[scope], asPage<LogPage>(), { ...queryFor(filter), ...place });
    },
    initialPageParam: "",
    getNextPageParam: (last, pages) => {
      if (filter.order === "") return last.next;
      const rows = Math.min(last.total_count ?? 0, MOST_SORTED);
      return (pages.length + 1) * filter.size <= MOST_SORTED && pages.length * filter.size < rows
        ? String(pages.length + 1)
        : null;
    },
    placeholderData: keepPreviousData,
  });

export const totalsQuery = (scope: LogScope, filter: LogFilter) =>
  queryOptions({
    queryKey: [...allLogs, "totals", scope, filter],
    queryFn: () => http.get(`${paths[scope]}/stat`, asSent<LogTotals>(), queryFor(filter)),
    placeholderData: keepPreviousData,
  });

/** Counts of the newest calls of a filter, for the buttons above the list and the histogram. */
export const facetsQuery = (scope: LogScope, filter: LogFilter) =>
  queryOptions({
    queryKey: [...allLogs, "facets", scope, { ...filter, order: "", size: 0 }],
    queryFn: () =>
      http.get(`${paths[scope]}/facets`, asSent<LogFacets>(), {
        ...queryFor(filter),
        offset: -new Date().getTimezoneOffset(),
      }),
    placeholderData: keepPreviousData,
    // The list shows the error.
    meta: { quiet: true },
  });

export function fetchLogs(scope: LogScope, filter: LogFilter, cursor: string): Promise<LogPage> {
  // An export is always newest first, regardless of the order on the screen.
  return http.get(paths[scope], asPage<LogPage>(), { ...queryFor(filter), order: "", size: 100, cursor });
}

/** @param id a request id, or the number of an entry */
export const callQuery = (id: string) =>
  queryOptions({
    queryKey: [...allLogs, "call", id],
    queryFn: () => http.get(`/log/${encodeURIComponent(id)}`, asSent<LogRow>()),
    // A finished entry never changes.
    staleTime: Infinity,
    meta: { quiet: true },
  });

/** The stored bodies of a call; null without any. */
export const bodiesQuery = (requestId: string) =>
  queryOptions({
    queryKey: [...allLogs, "bodies", requestId],
    queryFn: () => http.get(`/log/${encodeURIComponent(requestId)}/bodies`, asSent<LogBodies | null>()),
    gcTime: 0,
  });

export const foundChannelsQuery = (keyword: string) =>
  queryOptions({
    queryKey: [...allChannels, "found", keyword],
    queryFn: () => findChannels(keyword),
    enabled: keyword !== "",
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

/** @param id 0 = none */
export const channelNameQuery = (id: number) =>
  queryOptions({
    queryKey: [...allChannels, "name", id],
    queryFn: () => nameOfChannel(id),
    enabled: id > 0,
    staleTime: 60_000,
    // A deleted channel has no name.
    meta: { quiet: true },
  });
