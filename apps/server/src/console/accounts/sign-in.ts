import { IdentityProviderSlug } from "@gateway/shared/accounts/identity-provider";
import { OptionalProof, TotpCode } from "@gateway/shared/accounts/profile";
import { Self } from "@gateway/shared/accounts/session";
import {
  IdentityProviderKey,
  IdentityRow,
  SignInReturn,
  TypedCode,
  UnbindInput,
} from "@gateway/shared/accounts/sign-in";
import { Envelope, Failure, Nothing } from "@gateway/shared/envelope";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import type { Services } from "#console/services.ts";
import {
  findOrCreateAccount,
  type Arriving,
  bindIdentity,
  listIdentities,
  unbindIdentity,
} from "#domain/accounts/sign-in/identities.ts";
import { permitLink, spendLinkPermit } from "#domain/accounts/sign-in/proof.ts";
import { requireSecondFactor } from "#domain/accounts/sign-in/second-factor.ts";
import { findArrival, keepArrival, spendArrival } from "#domain/accounts/sign-in/sign-in-state.ts";
import { recordSignIn } from "#domain/accounts/users.ts";
import { requireMember } from "#domain/identity-providers/assignment.ts";
import { findEnabledProvider, providerKeyOf } from "#domain/identity-providers/identity-providers.ts";
import { assignAtSignIn, groupsAtSignIn } from "#domain/scim/groups-of-person.ts";
import { forbidden, GatewayError } from "#errors.ts";
import { unixTime } from "#platform/clock.ts";
import type { IdentityProvider, User } from "#platform/prisma/client.ts";
import { GUESS_LIMIT, presentSelf } from "./accounts.ts";
import { IDENTITY_VISIT_COOKIE, IdentityVisits, startIdentityVisit } from "./identity-visits.ts";
import { proveOwner } from "./proof.ts";
import { sessionIdOf, type Sessions, type Viewer } from "./session.ts";

const config = { access: "anyone", rateLimit: GUESS_LIMIT } as const;
const signedIn = { 200: Envelope(Self.nullable()), "4xx": Failure, "5xx": Failure };

/**
 * Routes for sign-in with an external account, and for linking one to the own account. The caller's session
 * decides: a guest is signed in; a signed-in user is linked ("bind") and keeps the session.
 * @param root the base path: "" or "/gateway"
 */
export function signInRoutes(app: ConsoleApp, services: Services, sessions: Sessions, root: string): void {
  const { db, secrets, settings, identityProviders: providers } = services;
  const visits = new IdentityVisits(services, root);
  const { bind, enter, signIn } = arrivalsOf(services, sessions);
  app.get(
    "/oauth/state",
    {
      config,
      schema: { summary: "Start a sign-in with an identity provider", response: answers(z.string()) },
    },
    async (request, reply) => ok((await startIdentityVisit(request, reply, services)).state),
  );

  app.get(
    "/oauth/endpoint",
    {
      config,
      schema: {
        summary: "Get the address of an identity provider's sign-in page",
        response: answers(z.string()),
      },
    },
    async (request, reply) => {
      const { client, here } = await visits.open(request, reply, "oidc");
      return ok((await client.authorizeUrl?.(here)) ?? "");
    },
  );

  app.get(
    "/oauth/github/start",
    { config, schema: { summary: "Open GitHub's sign-in page", response: { 302: z.null() } } },
    async (request, reply) => {
      const { client, here } = await visits.open(request, reply, "github");
      return reply.redirect((await client.authorizeUrl?.(here)) ?? `${root}/login`);
    },
  );

  for (const { id } of Object.values(providers)) {
    app.get(
      `/oauth/${id}`,
      {
        config,
        schema: {
          summary: "Finish a sign-in with an identity provider",
          querystring: id === "wechat" ? TypedCode : SignInReturn,
          response: signedIn,
        },
      },
      async (request, reply) => {
        const arriving = { provider: id, identity: await visits.identify(request, reply, id) };
        if (request.viewer !== null) return bind(request, request.viewer, arriving);
        const newcomer = { affCode: request.query.aff, ip: request.ip };
        return enter(request, reply, await findOrCreateAccount(db, arriving, newcomer, settings.current()));
      },
    );
  }

  // The second step for accounts with a second factor. The cookie identifies the browser.
  app.post(
    "/oauth/code",
    {
      config,
      schema: {
        summary: "Finish a sign-in with the code of an identity provider",
        body: TotpCode,
        response: answers(Self),
      },
    },
    async (request, reply) => {
      const browser = request.cookies[IDENTITY_VISIT_COOKIE];
      const user = await findArrival(db, secrets, browser);
      await requireSecondFactor(db, secrets, user, request.body.code);
      await spendArrival(db, secrets, { userId: user.id, browser });
      return signIn(request, reply, user.id);
    },
  );

  addedProviderRoutes(app, services, { visits, bind, enter });
  linkedRoutes(app, services);
}

/** What every sign-in with a provider ends with. */
function arrivalsOf(services: Services, sessions: Sessions) {
  const { db, secrets, settings } = services;

  async function bind(request: FastifyRequest, viewer: Viewer, arriving: Arriving) {
    await spendLinkPermit(db, secrets, viewer.id, sessionIdOf(request));
    await bindIdentity(db, viewer, arriving);
    return { success: true as const, message: "bind", data: null };
  }

  /** Signs a user in, or asks for the second factor. */
  async function enter(request: FastifyRequest, reply: FastifyReply, { id: userId, totp_enabled }: User) {
    if (totp_enabled && settings.current().IdentityProviderSecondFactor) {
      await keepArrival(db, secrets, { userId, browser: request.cookies[IDENTITY_VISIT_COOKIE] });
      throw new GatewayError("totp_required", { reason: "totp_code_required_after_sign_in" });
    }
    return signIn(request, reply, userId);
  }

  async function signIn(request: FastifyRequest, reply: FastifyReply, userId: number) {
    const user = await recordSignIn(db, userId, request.ip);
    await sessions.signIn(request, reply, { id: userId });
    return ok(await presentSelf(services, user));
  }

  return { bind, enter, signIn };
}

/** Routes for sign-in with the OpenID Connect providers that root has added. */
function addedProviderRoutes(
  app: ConsoleApp,
  { db, settings }: Services,
  { visits, bind, enter }: { visits: IdentityVisits } & Pick<ReturnType<typeof arrivalsOf>, "bind" | "enter">,
): void {
  const AtProvider = z.object({ slug: IdentityProviderSlug });

  app.get(
    "/oauth/oidc/:slug/endpoint",
    {
      config,
      schema: {
        summary: "Get the address of the sign-in page of a provider that root has added",
        params: AtProvider,
        response: answers(z.string()),
      },
    },
    async (request, reply) => {
      const provider = await requireOffered(request.params.slug);
      const { client, here } = await visits.open(request, reply, provider);
      return ok((await client.authorizeUrl?.(here)) ?? "");
    },
  );

  app.get(
    "/oauth/oidc/:slug",
    {
      config,
      schema: {
        summary: "Finish a sign-in with a provider that root has added",
        params: AtProvider,
        querystring: SignInReturn,
        response: signedIn,
      },
    },
    async (request, reply) => {
      const provider = await requireOffered(request.params.slug);
      const identity = await visits.identify(request, reply, provider);
      requireMember(provider, await groupsAtSignIn(db, provider, identity));
      const arriving = { provider: providerKeyOf(provider), identity };
      if (request.viewer !== null) return bind(request, request.viewer, arriving);
      const newcomer = { affCode: request.query.aff, ip: request.ip };
      const rules = { ...settings.current(), RegisterEnabled: provider.sign_up };
      const user = await findOrCreateAccount(db, arriving, newcomer, rules);
      const actor = { id: null, username: arriving.provider, ip: request.ip };
      await db.$transaction((tx) => assignAtSignIn(tx, { provider, actor }, user.id, identity));
      return enter(request, reply, user);
    },
  );

  async function requireOffered(slug: string): Promise<IdentityProvider> {
    const provider = await findEnabledProvider(db, slug);
    if (provider === null) throw forbidden({ reason: "sign_in_method_off" });
    return provider;
  }
}

/** Routes for the external accounts that are linked with the caller's account. */
function linkedRoutes(app: ConsoleApp, services: Services): void {
  const { db, secrets, settings, identityProviders: providers } = services;
  const own = { access: "user" } as const;

  app.get(
    "/user/self/identities",
    {
      config: own,
      schema: {
        summary: "List the sign-in methods linked with your account",
        response: answers(z.array(IdentityRow)),
      },
    },
    async (request) => {
      const rows = await listIdentities(db, viewerOf(request).id);
      return ok(
        rows.flatMap(({ provider, label, created_time }) =>
          // Skips providers that only a later version knows.
          isProviderKey(provider) ? [{ provider, label, created_time: unixTime(created_time) }] : [],
        ),
      );
    },
  );

  app.post(
    "/user/self/identities/confirm",
    {
      config: { ...own, rateLimit: GUESS_LIMIT },
      schema: {
        summary: "Confirm a link with an identity provider",
        body: OptionalProof,
        response: answers(Nothing),
      },
    },
    async (request) => {
      const { id } = await proveOwner(services, request, request.body);
      const session = sessionIdOf(request);
      if (session === undefined) throw forbidden({ reason: "session_required" });
      await permitLink(db, secrets, id, session);
      return ok(null);
    },
  );

  app.post(
    "/user/unbind",
    {
      config: own,
      schema: { summary: "Remove a linked sign-in method", body: UnbindInput, response: answers(Nothing) },
    },
    async (request) => {
      const methods = { settings: settings.current(), providers };
      await unbindIdentity(db, viewerOf(request), request.body.type, methods);
      return ok(null);
    },
  );

  function isProviderKey(key: string): key is IdentityProviderKey {
    return IdentityProviderKey.safeParse(key).success;
  }
}
