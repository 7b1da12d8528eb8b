import { can, Role } from "@gateway/shared/accounts/roles";
import type { IdentityProviderId, SignInReturn } from "@gateway/shared/accounts/sign-in";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import { requireNoLink } from "#console/origin.ts";
import type { Services } from "#console/services.ts";
import {
  derivedSecret,
  issueState,
  returnState,
  type SignInStart,
  type SpentState,
  spendState,
  STATE_MINUTES,
} from "#domain/accounts/sign-in/sign-in-state.ts";
import { configOf, providerKeyOf } from "#domain/identity-providers/identity-providers.ts";
import { requirePublicUrl } from "#domain/settings/public-url.ts";
import { forbidden, GatewayError } from "#errors.ts";
import { boundedFetch } from "#platform/http/public-fetch.ts";
import type { IdentityProvider as IdentityProviderRow } from "#platform/prisma/client.ts";
import { createIdentityClients } from "#sign-in/clients.ts";
import {
  type ExternalIdentity,
  type IdentityClient,
  type IdentityProvider,
  isAvailable,
  type Visit,
} from "#sign-in/provider.ts";

/** Cookie that binds a sign-in with an identity provider to the browser that began it. */
export const IDENTITY_VISIT_COOKIE = "sign-in";

/** Issues a state for this browser and sets its cookie, for all routes of this sign-in. */
export async function startIdentityVisit(
  request: FastifyRequest,
  reply: FastifyReply,
  { db, secrets }: Pick<Services, "db" | "secrets">,
): Promise<SignInStart> {
  const visit = await issueState(db, secrets, {
    browser: request.cookies[IDENTITY_VISIT_COOKIE],
    userId: request.viewer?.id ?? null,
  });
  void reply.setCookie(IDENTITY_VISIT_COOKIE, visit.browser, {
    path: (request.routeOptions.url ?? "").replace(/(?<=\/oauth)\/.*$/, ""),
    httpOnly: true,
    sameSite: "lax",
    secure: request.protocol === "https",
    maxAge: STATE_MINUTES * 60,
  });
  return visit;
}

/** A built-in provider, or the row of one that root has added and enabled. */
type VisitedProvider = IdentityProviderId | IdentityProviderRow;

/** Requests of browsers that go to an identity provider, or come back from one. */
export class IdentityVisits {
  readonly #services: Services;
  readonly #root: string;
  // Operators configure these addresses, and an identity provider may be in their private network.
  readonly #clients = createIdentityClients(boundedFetch());

  /** @param root the base path: "" or "/gateway" */
  constructor(services: Services, root: string) {
    this.#services = services;
    this.#root = root;
  }

  #requireOffered(id: IdentityProviderId): IdentityProvider {
    const { identityProviders: providers, settings } = this.#services;
    if (isAvailable(providers[id], settings.current())) return providers[id];
    throw forbidden({ reason: "sign_in_method_off" });
  }

  async #clientOf(provider: VisitedProvider): Promise<IdentityClient> {
    const { settings, secrets } = this.#services;
    if (typeof provider === "string")
      return this.#clients.of(this.#requireOffered(provider), settings.current());
    return this.#clients.ofOidc(providerKeyOf(provider), configOf(provider, secrets));
  }

  /** Opens the client of the provider for this request. `spent` returns the state that it has checked. */
  async open(
    request: FastifyRequest,
    reply: FastifyReply,
    provider: VisitedProvider,
    back?: z.output<typeof SignInReturn>,
  ) {
    const { db, secrets, settings } = this.#services;
    const [services, root] = [this.#services, this.#root];
    const client = await this.#clientOf(provider);
    // Secrets of one provider are useless at another one.
    const suffix = typeof provider === "string" ? "" : `:${provider.slug}`;
    const path = typeof provider === "string" ? provider : `oidc/${provider.slug}`;
    const isAdmin = can(request.viewer?.role ?? Role.guest, "administer");
    const secretsOf = (departure: SignInStart) => ({
      state: departure.state,
      nonce: derivedSecret(secrets, `nonce${suffix}`, departure),
      verifier: derivedSecret(secrets, `pkce${suffix}`, departure),
    });
    let spent: (SpentState & { departure: SignInStart }) | undefined;
    const here: Visit = {
      request,
      reply,
      redirectUri: () => `${requirePublicUrl(settings.current(), { root, isAdmin })}/oauth/${path}`,
      issueState: async () => secretsOf(await startIdentityVisit(request, reply, services)),
      async checkState() {
        const { state = "", code = "", iss } = back ?? {};
        const arriving = { state, browser: request.cookies[IDENTITY_VISIT_COOKIE] };
        const { browser = "" } = arriving;
        const facts = await spendState(db, secrets, arriving, request.viewer?.id ?? null);
        spent = { ...facts, departure: { state, browser } };
        return { ...secretsOf(spent.departure), code, iss };
      },
    };
    return { client, here, spent: () => spent };
  }

  /**
   * Issues the state of a code that the user typed in, which WeChat's callers send without one. Throws
   * `origin_refused` if a link or a page of another site led the browser here.
   */
  async #issueTypedCode(
    request: FastifyRequest<{ Querystring: z.output<typeof SignInReturn> }>,
    reply: FastifyReply,
  ) {
    this.#requireOffered("wechat");
    requireNoLink(request, this.#services.settings.current().ServerAddress);
    const { state, browser } = await startIdentityVisit(request, reply, this.#services);
    request.cookies[IDENTITY_VISIT_COOKIE] = browser;
    return { ...request.query, state };
  }

  /** Consumes the state and asks the provider for the person's identity. */
  async identify(
    request: FastifyRequest<{ Querystring: z.output<typeof SignInReturn> }>,
    reply: FastifyReply,
    provider: VisitedProvider,
  ): Promise<ExternalIdentity> {
    const back = request.query.state === "" ? await this.#issueTypedCode(request, reply) : request.query;
    const { client, here, spent } = await this.open(request, reply, provider, back);
    try {
      const identity = await client.identify(here);
      if (spent() === undefined) throw new Error("The provider did not check the state.");
      return identity;
    } catch (error) {
      request.log.warn({ err: error }, "a sign-in with a provider failed");
      const state = spent();
      if (state !== undefined && error instanceof GatewayError && error.code === "upstream_failed") {
        const { db, secrets } = this.#services;
        await returnState(db, secrets, state.departure, state);
      }
      throw error;
    }
  }
}
