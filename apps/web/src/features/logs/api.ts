/** The request log, as its reader may see it. */
import { ChannelPage, ChannelRow } from "@gateway/shared/channel";
import { LogBodies, LogPage, LogQuery, LogTotals } from "@gateway/shared/log";
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { http } from "#lib/http.ts";
import { type LogFilter, windowOf } from "./log-filter.ts";

/** Everybody's rows are for administrators. */
export type Whose = "everybody" | "own";

const paths = { everybody: "/log", own: "/log/self" } as const;

/** What the server is asked; the moments of "today" are those of now. */
function queryFor(filter: LogFilter): LogQuery {
  const { range: _range, view: _view, from: _from, to: _to, ...rest } = filter;
  return { ...LogQuery.parse({}), ...rest, ...windowOf(filter, new Date()) };
}

export const logsQuery = (whose: Whose, filter: LogFilter) =>
  infiniteQueryOptions({
    queryKey: ["log", "list", whose, filter],
    queryFn: ({ pageParam }) => http.get(paths[whose], LogPage, { ...queryFor(filter), cursor: pageParam }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });

export const totalsQuery = (whose: Whose, filter: LogFilter) =>
  queryOptions({
    queryKey: ["log", "totals", whose, filter],
    queryFn: () => http.get(`${paths[whose]}/stat`, LogTotals, queryFor(filter)),
    placeholderData: keepPreviousData,
  });

export function fetchLogs(whose: Whose, filter: LogFilter, cursor: string): Promise<LogPage> {
  return http.get(paths[whose], LogPage, { ...queryFor(filter), size: 100, cursor });
}

/** What was kept of a call; null where nothing was. */
export const bodiesQuery = (requestId: string) =>
  queryOptions({
    queryKey: ["log", "bodies", requestId],
    queryFn: () => http.get(`/log/${encodeURIComponent(requestId)}/bodies`, LogBodies.nullable()),
    gcTime: 0,
  });

/** The oldest come first, as their numbers are known best. */
export async function findChannels(keyword: string): Promise<{ id: number; name: string }[]> {
  const { data } = await http.get("/channel", ChannelPage, { keyword, size: 20, order: "id" });
  return data.map(called);
}

export async function nameOfChannel(id: number): Promise<string> {
  return called(await http.get(`/channel/${id}`, ChannelRow)).name;
}

function called({ id, name }: Pick<ChannelRow, "id" | "name">): { id: number; name: string } {
  return { id, name: `${id} · ${name}` };
}
