import {
  TokenAdminChange,
  TokenAdminPage,
  TokenAdminQuery,
  TokenAdminRow,
  TokenPatch,
} from "@gateway/shared/accounts/token";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import { IdParams, pageOf, sliceOf } from "#console/paging.ts";
import type { Services } from "#console/services.ts";
import { administerToken, searchTokens, switchAnyToken } from "#domain/tokens/administration.ts";
import { sortableTokens } from "./tokens.ts";

/** Everyone's API keys, for administrators; never the keys themselves. */
export function tokenAdministrationRoutes(app: ConsoleApp, { db, secrets, settings }: Services): void {
  const config = { access: "admin", permission: "tokens" } as const;
  const row = answers(TokenAdminRow);
  const zone = () => settings.current().TimeZone;

  app.get(
    "/token/admin/search",
    { config, schema: { querystring: TokenAdminQuery, response: answers(TokenAdminPage) } },
    async (request) => {
      const { query } = request;
      const { keyword, billing_tag, user_id: userId, token_id: tokenId } = query;
      const slice = sliceOf(query, sortableTokens);
      const search = { keyword, billing_tag, userId, tokenId, timeZone: zone(), ...slice };
      const { rows, total } = await searchTokens(db, search);
      return ok(pageOf(query, rows, total));
    },
  );

  app.put("/token/admin", { config, schema: { body: TokenAdminChange, response: row } }, async (request) =>
    ok(await administerToken(db, secrets, viewerOf(request), request.body, zone())),
  );

  app.patch(
    "/token/admin/:id",
    { config, schema: { params: IdParams, body: TokenPatch, response: row } },
    async (request) =>
      ok(await switchAnyToken(db, viewerOf(request), { ...request.params, ...request.body }, zone())),
  );
}
