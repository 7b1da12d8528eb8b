import type { OAuth2Namespace } from "@fastify/oauth2";
import type { Settings } from "@gateway/shared/site/settings";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { GatewayError } from "#errors.ts";
import { ask, asError, identityError, unreachable } from "./ask.ts";
import type { ExternalIdentity, IdentityProvider, Visit } from "./provider.ts";

const label = "GitHub";
const TIMEOUT_MS = 10_000;

const Token = z.object({ access_token: z.string().min(1) });
const Refusal = z.object({ error: z.string() });
const Account = z.object({ id: z.int(), login: z.string().min(1), name: z.string().nullish() });
const Emails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

/** Creates the provider record. @param at addresses that replace github.com, e.g. GitHub Enterprise Server */
export function githubAt(
  at = { web: "https://github.com", api: "https://api.github.com" },
): IdentityProvider {
  return {
    id: "github",
    label,
    enabledBy: "GitHubOAuthEnabled",
    needs: ["GitHubClientId", "GitHubClientSecret"],
    async open(settings, fetch) {
      const { authorizeUrl, accessToken } = await openFlow(at.web, settings);
      return {
        authorizeUrl,
        async identify(visit) {
          const headers = { authorization: `Bearer ${await accessToken(visit)}` };
          const account = await ask(fetch, Account, { label, url: `${at.api}/user`, headers });
          const emails = await ask(fetch, Emails, { label, url: `${at.api}/user/emails`, headers });
          return identityOf(account, emails);
        },
      };
    },
  };
}

function identityOf(account: z.infer<typeof Account>, emails: z.infer<typeof Emails>): ExternalIdentity {
  return {
    // A login can be released and taken by another user. The numeric id never is.
    subject: String(account.id),
    label: account.login,
    username: account.login,
    displayName: account.name ?? "",
    email: emails.find((entry) => entry.primary && entry.verified)?.email ?? null,
  };
}

/**
 * Opens the authorization code flow of `@fastify/oauth2`: the address of GitHub's page with a state, the check of
 * the state, and the exchange of the code. The plugin needs a Fastify instance and fixed credentials. So each
 * set of credentials gets a small instance of its own, which never listens. Loaded with the first sign-in.
 */
async function openFlow(web: string, settings: Settings) {
  const [{ fastify }, { default: oauth2 }] = await Promise.all([
    import("fastify"),
    import("@fastify/oauth2"),
  ]);
  const visits = new WeakMap<FastifyRequest, Visit & { callback: string }>();
  /** The plugin calls `callbackUri` where a missing address could not be reported, so it is read before. */
  function begin(visit: Visit): [FastifyRequest, FastifyReply] {
    visits.set(visit.request, { ...visit, callback: visit.redirectUri() });
    return [visit.request, visit.reply];
  }
  function visitOf(request: FastifyRequest) {
    const visit = visits.get(request);
    if (visit === undefined) throw new Error("The request belongs to no sign-in.");
    return visit;
  }
  const app = fastify();
  await app.register(oauth2, {
    name: "github",
    scope: ["user:email"],
    credentials: {
      client: { id: settings.GitHubClientId, secret: settings.GitHubClientSecret },
      auth: {
        tokenHost: web,
        tokenPath: "/login/oauth/access_token",
        authorizePath: "/login/oauth/authorize",
      },
      http: { timeout: TIMEOUT_MS },
      options: { authorizationMethod: "body" },
    },
    callbackUri: (request) => visitOf(request).callback,
    generateStateFunction: async (request) => (await visitOf(request).issueState()).state,
    checkStateFunction: async (request) => {
      await visitOf(request).checkState();
      return true;
    },
  });
  const flow: OAuth2Namespace | undefined = app.oauth2Github;
  if (flow === undefined) throw new Error("@fastify/oauth2 did not register its flow.");

  return {
    authorizeUrl: async (visit: Visit) => flow.generateAuthorizationUri(...begin(visit)),
    async accessToken(visit: Visit): Promise<string> {
      const { token } = await flow
        .getAccessTokenFromAuthorizationCodeFlow(...begin(visit))
        .catch((error: unknown) => {
          throw failureOf(error);
        });
      // GitHub sends refusals with status 200.
      const parsed = Token.safeParse(token);
      if (!parsed.success) throw identityError(label, Refusal.safeParse(token).data?.error);
      return parsed.data.access_token;
    },
  };
}

/** Error of the HTTP client of the plugin when GitHub responded with a status of 400 or above. */
const Rejection = z.object({
  data: z.object({ isResponseError: z.literal(true) }),
  output: z.object({ statusCode: z.int().max(499) }),
});

function failureOf(error: unknown): Error {
  if (error instanceof GatewayError) return error;
  const status = Rejection.safeParse(error).data?.output.statusCode;
  return status === undefined ? unreachable(label, asError(error)) : identityError(label, `status ${status}`);
}
