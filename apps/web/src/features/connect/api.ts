/** What the page needs: the user's keys. */
import type { TokenPage } from "@gateway/shared/accounts/token";
import { PLAYGROUND_TOKEN } from "@gateway/shared/accounts/token-status";
import { queryOptions } from "@tanstack/react-query";
import { asPage, http } from "#lib/http.ts";
import { allTokens } from "#lib/queries/tokens.ts";

/** The newest keys, without the one of the playground. More would not help in a list to choose from. */
export const choosableTokensQuery = queryOptions({
  queryKey: [...allTokens, "choosable"],
  queryFn: () => http.get("/token", asPage<TokenPage>(), { size: 100, order: "-id" }),
  select: ({ data }) => data.filter(({ name }) => name !== PLAYGROUND_TOKEN),
});
