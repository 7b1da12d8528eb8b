/** The request log, as far as the user may see it. */
import type { ChannelPage, ChannelRow } from "@gateway/shared/channels/channel";
import type { LogBodies, LogFacets, LogPage, LogRow, LogQuery, LogTotals } from "@gateway/shared/usage/log";
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { asPage, asSent, http } from "#lib/http.ts";
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

/** Sorted by id: the oldest channels come first, as their numbers are known best. */
export async function findChannels(keyword: string): Promise<{ id: number; name: string }[]> {
  const { data } = await http.get("/channel", asPage<ChannelPage>(), { keyword, size: 20, order: "id" });
  return data.map(called);
}

export async function nameOfChannel(id: number): Promise<string> {
  return called(await http.get(`/channel/${id}`, asSent<ChannelRow>())).name;
}

function called({ id, name }: Pick<ChannelRow, "id" | "name">): { id: number; name: string } {
  return { id, name: `${id} · ${name}` };
}
