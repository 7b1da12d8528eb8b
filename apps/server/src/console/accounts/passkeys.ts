import {
  PasskeyAssertion,
  PasskeyBegin,
  PasskeyOptions,
  PasskeyRegistration,
  PasskeyRename,
  PasskeyRow,
} from "@gateway/shared/accounts/passkey";
import { can, Role } from "@gateway/shared/accounts/roles";
import { Self } from "@gateway/shared/accounts/session";
import { Nothing } from "@gateway/shared/envelope";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import { IdParams } from "#console/paging.ts";
import type { Services } from "#console/services.ts";
import {
  beginRegistration,
  beginSignIn,
  finishRegistration,
  finishSignIn,
  listPasskeys,
  type RelyingParty,
  removePasskey,
  renamePasskey,
} from "#domain/accounts/sign-in/passkeys.ts";
import { recordSignIn } from "#domain/accounts/users.ts";
import { publicUrlOf, requirePublicUrl } from "#domain/settings/public-url.ts";
import { forbidden } from "#errors.ts";
import { unixTime } from "#platform/clock.ts";
import type { Passkey } from "#platform/prisma/client.ts";
import { GUESS_LIMIT, presentSelf } from "./accounts.ts";
import { proveOwner } from "./proof.ts";
import type { Sessions } from "./session.ts";

/** Routes for the passkeys of the signed-in user, and for signing in with one. */
export function passkeyRoutes(app: ConsoleApp, services: Services, sessions: Sessions): void {
  const { db, secrets, settings, identityProviders: providers } = services;
  const own = { access: "user" } as const;
  const guessing = { access: "anyone", rateLimit: GUESS_LIMIT } as const;

  /**
   * Returns the site that passkeys belong to: the configured server address, never the host that a request
   * claims. Until an address is configured, passkeys work on localhost only.
   */
  function placeOf(request: FastifyRequest): RelyingParty {
    const isAdmin = can(request.viewer?.role ?? Role.guest, "administer");
    const { origin = "" } = request.headers;
    const page = URL.parse(origin);
    if (publicUrlOf(settings.current()) === undefined && page?.hostname === "localhost")
      return { origin, rpId: page.hostname };
    const site = new URL(requirePublicUrl(settings.current(), { root: "", isAdmin }));
    return { origin: site.origin, rpId: site.hostname };
  }

  app.get(
    "/webauthn/credentials",
    { config: own, schema: { summary: "List your passkeys", response: answers(z.array(PasskeyRow)) } },
    async (request) => ok((await listPasskeys(db, viewerOf(request).id)).map(presentPasskey)),
  );

  // Requires proof of the owner, so that a person at an unlocked browser cannot add a passkey of their own.
  app.post(
    "/webauthn/registration/begin",
    {
      config: { ...own, rateLimit: GUESS_LIMIT },
      schema: { summary: "Start to add a passkey", body: PasskeyBegin, response: answers(PasskeyOptions) },
    },
    async (request) => {
      const user = await proveOwner(services, request, request.body);
      const siteName = settings.current().SystemName;
      const options = await beginRegistration(db, secrets, { user, place: placeOf(request), siteName });
      return ok({ ...options });
    },
  );

  app.post(
    "/webauthn/registration/finish",
    {
      config: { ...own, rateLimit: GUESS_LIMIT },
      schema: {
        summary: "Finish adding a passkey",
        body: PasskeyRegistration,
        response: answers(PasskeyRow),
      },
    },
    async (request) => {
      const made = { actor: viewerOf(request), place: placeOf(request), answer: request.body };
      return ok(presentPasskey(await finishRegistration(db, secrets, made)));
    },
  );

  app.patch(
    "/webauthn/credentials/:id",
    {
      config: own,
      schema: {
        summary: "Rename a passkey",
        params: IdParams,
        body: PasskeyRename,
        response: answers(Nothing),
      },
    },
    async (request) => {
      await renamePasskey(db, viewerOf(request).id, request.params.id, request.body.alias);
      return ok(null);
    },
  );

  app.delete(
    "/webauthn/credentials/:id",
    { config: own, schema: { summary: "Delete a passkey", params: IdParams, response: answers(Nothing) } },
    async (request) => {
      await removePasskey(db, viewerOf(request), request.params.id, {
        settings: settings.current(),
        providers,
      });
      return ok(null);
    },
  );

  function requireOffered(): void {
    if (!settings.current().PasskeyLoginEnabled) throw forbidden({ reason: "sign_in_method_off" });
  }

  app.post(
    "/webauthn/login/begin",
    {
      config: guessing,
      schema: { summary: "Start a sign-in with a passkey", response: answers(PasskeyOptions) },
    },
    async (request) => {
      requireOffered();
      return ok({ ...(await beginSignIn(db, secrets, placeOf(request))) });
    },
  );

  app.post(
    "/webauthn/login/finish",
    {
      config: guessing,
      schema: { summary: "Finish a sign-in with a passkey", body: PasskeyAssertion, response: answers(Self) },
    },
    async (request, reply) => {
      requireOffered();
      const { id } = await finishSignIn(db, secrets, { place: placeOf(request), answer: request.body });
      const user = await recordSignIn(db, id, request.ip);
      await sessions.signIn(request, reply, { id });
      return ok(await presentSelf(services, user));
    },
  );
}

function presentPasskey({ id, alias, backed_up, created_time, last_used }: Passkey): PasskeyRow {
  return {
    id,
    alias,
    backed_up,
    created_time: unixTime(created_time),
    last_used: last_used === null ? null : unixTime(last_used),
  };
}
