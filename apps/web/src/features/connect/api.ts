/** What the page needs: the user's keys and the newest call of the account. */
import type { TokenPage } from "@gateway/shared/accounts/token";
import type { LogPage } from "@gateway/shared/usage/log";
import { LogType } from "@gateway/shared/usage/log-type";
import { queryOptions } from "@tanstack/react-query";
import { asPage, http } from "#lib/http.ts";
import { allTokens } from "#lib/queries/tokens.ts";

/** The newest keys. More would not help in a list to choose from. */
export const choosableTokensQuery = queryOptions({
  queryKey: [...allTokens, "choosable"],
  queryFn: () => http.get("/token", asPage<TokenPage>(), { size: 100, order: "-id" }),
});

const LOOK_MS = 2_000;

/** The newest calls of the account, while the page waits for the first one. */
export const newestCallQuery = (waiting: boolean) =>
  queryOptions({
    queryKey: ["log", "newest-call"],
    queryFn: async () => {
      const { data } = await http.get("/log/self", asPage<LogPage>(), { size: 10 });
      const calls: number[] = [LogType.consume, LogType.failed];
      return data.find((row) => calls.includes(row.type)) ?? null;
    },
    refetchInterval: waiting ? LOOK_MS : false,
    gcTime: 0,
    meta: { quiet: true },
  });
