import {
  TokenAdminChange,
  CreatedAdminToken,
  TokenAdminInput,
  TokenAdminPage,
  TokenAdminQuery,
  TokenAdminRow,
  TokenPatch,
} from "@gateway/shared/accounts/token";
import { ObjectUsage, ObjectUsageQuery } from "@gateway/shared/usage/object-usage";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import { IdParams, pageOf, sliceOf } from "#console/paging.ts";
import type { Services } from "#console/services.ts";
import { describeUsageOf } from "#domain/overview/object-usage.ts";
import {
  administerToken,
  createTokenFor,
  getAnyToken,
  searchTokens,
  switchAnyToken,
} from "#domain/tokens/administration.ts";
import { sortableTokens } from "./tokens.ts";

/** Routes for all users' API keys, for administrators. They never return the keys themselves. */
export function tokenAdministrationRoutes(app: ConsoleApp, { db, reads, secrets, settings }: Services): void {
  const config = { access: "admin", permission: "tokens" } as const;
  const row = answers(TokenAdminRow);
  const zone = () => settings.current().TimeZone;

  app.get(
    "/token/admin/search",
    {
      config,
      schema: {
        summary: "List the tokens of all users",
        querystring: TokenAdminQuery,
        response: answers(TokenAdminPage),
      },
    },
    async (request) => {
      const { query } = request;
      const { keyword, billing_tag, user_id: userId, token_id: tokenId } = query;
      const slice = sliceOf(query, sortableTokens);
      const search = { keyword, billing_tag, userId, tokenId, timeZone: zone(), ...slice };
      const { rows, total } = await searchTokens(db, search);
      return ok(pageOf(query, rows, total));
    },
  );

  app.get(
    "/token/admin/:id/usage",
    {
      config,
      schema: {
        summary: "Get the usage of a token of another user",
        params: IdParams,
        querystring: ObjectUsageQuery,
        response: answers(ObjectUsage),
      },
    },
    async (request) => {
      const { id, user_id: user } = await getAnyToken(db, viewerOf(request), request.params.id);
      return ok(
        await reads.run(({ pool }) => describeUsageOf(pool, { user, token: id }, request.query.time_zone)),
      );
    },
  );

  // Only this response contains the key. Later only its owner can read it.
  app.post(
    "/token/admin",
    {
      config,
      schema: {
        summary: "Create a token for another user",
        body: TokenAdminInput,
        response: answers(CreatedAdminToken),
      },
    },
    async (request) => {
      const { row: token, key } = await createTokenFor(
        { db, secrets },
        viewerOf(request),
        request.body,
        zone(),
      );
      return ok({ ...token, key });
    },
  );

  app.put(
    "/token/admin",
    { config, schema: { summary: "Change a token of another user", body: TokenAdminChange, response: row } },
    async (request) => ok(await administerToken(db, secrets, viewerOf(request), request.body, zone())),
  );

  app.patch(
    "/token/admin/:id",
    {
      config,
      schema: {
        summary: "Enable or disable a token of another user",
        params: IdParams,
        body: TokenPatch,
        response: row,
      },
    },
    async (request) =>
      ok(await switchAnyToken(db, viewerOf(request), { ...request.params, ...request.body }, zone())),
  );
}
