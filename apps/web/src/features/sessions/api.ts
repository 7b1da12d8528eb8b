import { LogPage } from "@gateway/shared/usage/log";
import { AgentSession } from "@gateway/shared/usage/session";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { http } from "#lib/http.ts";

const refetchMs = 15_000;

/** @param userId whose session; 0 = the own one, or for administrators the last one with this id */
export const sessionQuery = (id: string, userId: number) =>
  queryOptions({
    queryKey: ["session", id, userId],
    queryFn: () => http.get("/log/session", AgentSession, { id, user_id: userId }),
    refetchInterval: refetchMs,
    meta: { quiet: true },
  });

/** @param username whose calls; undefined for the own ones */
export const sessionCallsQuery = (id: string, username: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ["session", "calls", id, username],
    queryFn: ({ pageParam }) =>
      http.get(username === undefined ? "/log/self" : "/log", LogPage, {
        session: id,
        size: 50,
        cursor: pageParam,
        ...(username === undefined ? {} : { username }),
      }),
    initialPageParam: "",
    getNextPageParam: (last) => last.next,
  });
