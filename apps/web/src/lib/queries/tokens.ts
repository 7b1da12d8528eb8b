import type { TokenKey, TokenPage, TokenQuery } from "@gateway/shared/accounts/token";
import type { UsableMcpBundle } from "@gateway/shared/channels/mcp";
import { keepPreviousData, queryOptions, useMutation } from "@tanstack/react-query";
import { asPage, asSent, http } from "#lib/http.ts";

/** Key prefix of every query about API keys. Mutations invalidate it. */
export const allTokens = ["token"] as const;

/** The signed-in user's API keys. */
export const tokensQuery = (query: TokenQuery) =>
  queryOptions({
    queryKey: [...allTokens, "list", query],
    queryFn: () => http.get("/token", asPage<TokenPage>(), query),
    placeholderData: keepPreviousData,
  });

/**
 * MCP bundles that the tokens of a user may use.
 * @param owner id of another user, for administrators; undefined = the signed-in user
 */
export const usableBundlesQuery = (owner?: number) =>
  queryOptions({
    queryKey: ["usable-mcp-bundles", owner ?? "own"],
    queryFn: () =>
      owner === undefined
        ? http.get("/user/mcp_bundle", asSent<UsableMcpBundle[]>())
        : http.get("/token/admin/mcp_bundle", asSent<UsableMcpBundle[]>(), { user_id: owner }),
    staleTime: 60_000,
    meta: { quiet: true },
  });

/** Returns the complete key. Never stored in the query cache. */
export async function fetchKey(id: number): Promise<string> {
  return (await http.get(`/token/${id}/key`, asSent<TokenKey>())).key;
}

export function useFetchKey() {
  return useMutation({ mutationFn: fetchKey, gcTime: 0 });
}
