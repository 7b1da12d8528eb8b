import { TokenPage, type TokenQuery } from "@gateway/shared/accounts/token";
import { UserGroupMap } from "@gateway/shared/channels/group";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { http } from "#lib/http.ts";

/** The key of every query about API keys: a mutation invalidates all of them. */
export const allTokens = ["token"] as const;

/** The signed-in person's API keys. */
export const tokensQuery = (query: TokenQuery) =>
  queryOptions({
    queryKey: [...allTokens, "list", query],
    queryFn: () => http.get("/token", TokenPage, query),
    placeholderData: keepPreviousData,
  });

/** Groups the signed-in person may use, by symbol. */
export const groupsQuery = queryOptions({
  queryKey: ["user-groups"],
  queryFn: () => http.get("/user_group_map", UserGroupMap),
  staleTime: 60_000,
});
