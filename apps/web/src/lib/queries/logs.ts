import type { LogPage } from "@gateway/shared/usage/log";
import { LogType } from "@gateway/shared/usage/log-type";
import { queryOptions } from "@tanstack/react-query";
import { asPage, http } from "#lib/http.ts";

/** Key prefix of every query about the log. */
export const allLogs = ["log"] as const;

const LOOK_MS = 2_000;

/** The newest call of the account; null without one. Requested again while a page waits for the first one. */
export const newestCallQuery = (waiting: boolean) =>
  queryOptions({
    queryKey: [...allLogs, "newest-call"],
    queryFn: async () => {
      const { data } = await http.get("/log/self", asPage<LogPage>(), { size: 10 });
      const calls: number[] = [LogType.consume, LogType.failed];
      return data.find((row) => calls.includes(row.type)) ?? null;
    },
    refetchInterval: waiting ? LOOK_MS : false,
    gcTime: 0,
    meta: { quiet: true },
  });
