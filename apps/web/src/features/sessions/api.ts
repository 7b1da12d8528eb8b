import type { LogBodies } from "@gateway/shared/usage/log";
import type { AgentSession, SessionCalls, SessionPage } from "@gateway/shared/usage/session";
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { LoggedMessage } from "#components/conversation/messages.ts";
import { readAnswerMessages } from "#components/conversation/read-answer.ts";
import { asSent, http } from "#lib/http.ts";

const refetchMs = 15_000;

/** @param userId whose session; 0 = the own one, or for administrators the last one with this id */
export const sessionQuery = (id: string, userId: number) =>
  queryOptions({
    queryKey: ["session", id, userId],
    queryFn: () => http.get("/log/session", asSent<AgentSession>(), { id, user_id: userId }),
    refetchInterval: refetchMs,
    meta: { quiet: true },
  });

/** The calls of a session in their order. */
export const sessionCallsQuery = (id: string, userId: number) =>
  queryOptions({
    queryKey: ["session", "calls", id, userId],
    queryFn: () => http.get("/log/session/calls", asSent<SessionCalls>(), { id, user_id: userId }),
    refetchInterval: refetchMs,
    meta: { quiet: true },
  });

export const sessionsQuery = (username: string) =>
  infiniteQueryOptions({
    queryKey: ["session", "list", username],
    queryFn: ({ pageParam }) =>
      http.get("/log/sessions", asSent<SessionPage>(), { username, cursor: pageParam, size: 25 }),
    initialPageParam: "",
    getNextPageParam: (last) => last.next,
    placeholderData: keepPreviousData,
  });

/** The tools that the response of a call requested, each with its number of calls. Responses never change. */
export const toolsQuery = (requestId: string) =>
  queryOptions({
    queryKey: ["session", "tools", requestId],
    queryFn: async () => {
      const bodies = await http.get(
        `/log/${encodeURIComponent(requestId)}/bodies`,
        asSent<LogBodies | null>(),
      );
      return countTools(readAnswerMessages(bodies?.response ?? "") ?? []);
    },
    staleTime: Infinity,
    meta: { quiet: true },
  });

function countTools(answer: readonly LoggedMessage[]): ToolCount[] {
  const counts = new Map<string, number>();
  for (const { parts } of answer)
    for (const part of parts)
      if (part.type === "tool-call") counts.set(part.name, (counts.get(part.name) ?? 0) + 1);
  return [...counts].map(([name, count]) => ({ name, count }));
}

export type ToolCount = { name: string; count: number };
