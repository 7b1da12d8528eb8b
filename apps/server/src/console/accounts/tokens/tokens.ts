import { can } from "@gateway/shared/accounts/roles";
import {
  TokenChange,
  CreatedToken,
  KeyRotation,
  TokenInput,
  TokenKey,
  TokenPage,
  TokenPatch,
  TokenQuery,
  TokenRow,
} from "@gateway/shared/accounts/token";
import { Nothing } from "@gateway/shared/envelope";
import { ObjectUsage, ObjectUsageQuery } from "@gateway/shared/usage/object-usage";
import type { FastifyRequest } from "fastify";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import { IdParams, pageOf, RowId, sliceOf } from "#console/paging.ts";
import type { Services } from "#console/services.ts";
import { describeUsageOf } from "#domain/overview/object-usage.ts";
import { revealKey } from "#domain/tokens/keys.ts";
import { endPreviousKey, rotateKey } from "#domain/tokens/rotate-key.ts";
import {
  changeToken,
  createToken,
  deleteToken,
  describeToken,
  getToken,
  listTokens,
  playgroundKey,
  switchToken,
} from "#domain/tokens/tokens.ts";
import { invalidRequest } from "#errors.ts";
import type { Token } from "#platform/prisma/client.ts";

/** Fields by which a list of tokens can be sorted. */
export const sortableTokens = [
  "id",
  "name",
  "status",
  "expired_time",
  "created_time",
  "remain_quota",
  "used_quota",
] as const;

const config = { access: "user" } as const;
const row = answers(TokenRow);

/** Describes a token for its owner. */
function describeFor({ settings }: Services): (request: FastifyRequest, token: Token) => TokenRow {
  return (request, token) => describeToken(token, viewerOf(request).role, settings.current().TimeZone);
}

/** Routes for the signed-in user's own API keys. */
export function tokenRoutes(app: ConsoleApp, services: Services): void {
  const { db, reads, secrets } = services;
  const shown = describeFor(services);
  const credential = { ...config, checksOrigin: true } as const;

  app.get(
    "/token",
    {
      config,
      schema: { summary: "List your tokens", querystring: TokenQuery, response: answers(TokenPage) },
    },
    async (request) => {
      const { query } = request;
      const viewer = viewerOf(request);
      const billing_tag = can(viewer.role, "seeBillingTag") ? query.billing_tag : "";
      const search = { keyword: query.keyword, billing_tag, ...sliceOf(query, sortableTokens) };
      const { rows, total } = await listTokens(db, viewer.id, search);
      const lines = rows.map((token) => shown(request, token));
      return ok(pageOf(query, lines, total));
    },
  );

  app.get(
    "/token/playground",
    {
      config: credential,
      schema: { summary: "Get the key that the playground uses", response: answers(TokenKey) },
    },
    async (request) => ok({ key: await playgroundKey(db, secrets, viewerOf(request)) }),
  );

  app.get(
    "/token/:id",
    { config, schema: { summary: "Get one of your tokens", params: IdParams, response: row } },
    async (request) => ok(shown(request, await getToken(db, viewerOf(request).id, request.params.id))),
  );

  app.get(
    "/token/:id/usage",
    {
      config,
      schema: {
        summary: "Get the usage of one of your tokens",
        params: IdParams,
        querystring: ObjectUsageQuery,
        response: answers(ObjectUsage),
      },
    },
    async (request) => {
      const { id, user_id: user } = await getToken(db, viewerOf(request).id, request.params.id);
      return ok(
        await reads.run(({ pool }) => describeUsageOf(pool, { user, token: id }, request.query.time_zone)),
      );
    },
  );

  app.get(
    "/token/:id/key",
    {
      config: credential,
      schema: { summary: "Get the key of one of your tokens", params: IdParams, response: answers(TokenKey) },
    },
    async (request) => {
      const token = await getToken(db, viewerOf(request).id, request.params.id);
      const key = revealKey(secrets, token);
      if (key === "") throw invalidRequest({ reason: "key_not_kept" });
      return ok({ key });
    },
  );

  tokenChangeRoutes(app, services);
  keyRotationRoutes(app, services);
}

function keyRotationRoutes(app: ConsoleApp, services: Services): void {
  const { db, secrets } = services;
  const shown = describeFor(services);

  app.post(
    "/token/:id/rotate",
    {
      config,
      schema: {
        summary: "Give one of your tokens a new key; the previous one works until the end of the overlap",
        params: IdParams,
        body: KeyRotation,
        response: answers(CreatedToken),
      },
    },
    async (request) => {
      const rotation = { id: request.params.id, overlapHours: request.body.overlap_hours };
      const { token, key } = await rotateKey(db, secrets, viewerOf(request), rotation);
      return ok({ ...shown(request, token), key });
    },
  );

  app.delete(
    "/token/:id/previous_key",
    {
      config,
      schema: { summary: "End the previous key of one of your tokens now", params: IdParams, response: row },
    },
    async (request) => ok(shown(request, await endPreviousKey(db, viewerOf(request), request.params.id))),
  );
}

function tokenChangeRoutes(app: ConsoleApp, services: Services): void {
  const { db, secrets } = services;
  const shown = describeFor(services);

  app.post(
    "/token",
    { config, schema: { summary: "Create a token", body: TokenInput, response: answers(CreatedToken) } },
    async (request) => {
      const { token, key } = await createToken(db, secrets, viewerOf(request), request.body);
      return ok({ ...shown(request, token), key });
    },
  );

  app.put(
    "/token/:id",
    {
      config,
      schema: { summary: "Change one of your tokens", params: IdParams, body: TokenChange, response: row },
    },
    async (request) =>
      ok(shown(request, await changeToken(db, viewerOf(request), request.params.id, request.body))),
  );

  // The same with the id in the body.
  app.put(
    "/token",
    {
      config,
      schema: {
        summary: "Change one of your tokens; the id is in the body",
        body: TokenChange.safeExtend({ id: RowId }),
        response: row,
      },
    },
    async (request) =>
      ok(shown(request, await changeToken(db, viewerOf(request), request.body.id, request.body))),
  );

  app.patch(
    "/token/:id",
    {
      config,
      schema: {
        summary: "Enable or disable one of your tokens",
        params: IdParams,
        body: TokenPatch,
        response: row,
      },
    },
    async (request) =>
      ok(shown(request, await switchToken(db, viewerOf(request), request.params.id, request.body.status))),
  );

  app.delete(
    "/token/:id",
    {
      config,
      schema: { summary: "Delete one of your tokens", params: IdParams, response: answers(Nothing) },
    },
    async (request) => {
      await deleteToken(db, viewerOf(request), request.params.id);
      return ok(null);
    },
  );
}
