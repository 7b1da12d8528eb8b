import { Nothing } from "@gateway/shared/envelope";
import { CreatedShare, SharedCall, ShareInput, SharePage, ShareQuery } from "@gateway/shared/usage/share";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import { IdParams } from "#console/paging.ts";
import type { Services } from "#console/services.ts";
import { listShares, openShare, revokeShare, shareCall } from "#domain/shares/call-shares.ts";

const CallParams = z.object({ id: z.string().min(1).max(64) });
const SecretParams = z.object({ secret: z.string().min(1).max(64) });

const minute = 60_000;

/**
 * Routes for links to calls. Users share what they may see of the log. Everyone may open a link: the limit per address
 * is far below what guessing a secret would need.
 */
export function callShareRoutes(app: ConsoleApp, services: Services): void {
  const { db } = services;
  const user = { access: "user" } as const;

  app.post(
    "/log/:id/share",
    {
      config: { ...user, rateLimit: { max: 30, timeWindow: minute } },
      schema: {
        summary: "Create a link to a call that is readable without signing in",
        params: CallParams,
        body: ShareInput,
        response: answers(CreatedShare),
      },
    },
    async (request) => {
      const { share, secret } = await shareCall(services, viewerOf(request), request.params.id, request.body);
      return ok({ ...share, secret });
    },
  );

  app.get(
    "/call_share",
    {
      config: user,
      schema: {
        summary: "List your links to calls that have not ended",
        querystring: ShareQuery,
        response: answers(SharePage),
      },
    },
    async (request) => ok(await listShares(db, viewerOf(request).id, request.query)),
  );

  app.delete(
    "/call_share/:id",
    {
      config: user,
      schema: { summary: "Revoke a link to a call", params: IdParams, response: answers(Nothing) },
    },
    async (request) => {
      await revokeShare(db, viewerOf(request), request.params.id);
      return ok(null);
    },
  );

  app.get(
    "/shared_call/:secret",
    {
      config: { access: "anyone", rateLimit: { max: 60, timeWindow: minute } },
      schema: { summary: "Get the call of a link", params: SecretParams, response: answers(SharedCall) },
    },
    async (request, reply) => {
      void reply.header("x-robots-tag", "noindex");
      return ok(await openShare(services, request.params.secret));
    },
  );
}
