import type { Settings } from "@gateway/shared/site/settings";
import { z } from "zod";
import { ask, refused, unreachable } from "./ask.ts";
import type { ExternalIdentity, IdentityProvider } from "./provider.ts";

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
      const exchange = await openExchange(at.web, settings);
      return {
        async identify({ code, redirectUri }) {
          const headers = { authorization: `Bearer ${await exchange(code, redirectUri())}` };
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
 * Exchanges a code for an access token. The plugin needs a Fastify instance and fixed credentials. So each
 * set of credentials gets a small instance of its own, which never listens. Loaded with the first sign-in.
 */
async function openExchange(web: string, settings: Settings) {
  const [{ fastify }, { default: oauth2 }] = await Promise.all([
    import("fastify"),
    import("@fastify/oauth2"),
  ]);
  const app = fastify();
  await app.register(oauth2, {
    name: "github",
    scope: ["user:email"],
    credentials: {
      client: { id: settings.GitHubClientId, secret: settings.GitHubClientSecret },
      auth: { tokenHost: web, tokenPath: "/login/oauth/access_token" },
      http: { timeout: TIMEOUT_MS },
      options: { authorizationMethod: "body" },
    },
    callbackUri: (request) => Back.parse(request.query).redirect_uri,
    // Our own state is bound to the browser and consumed before this runs.
    generateStateFunction: () => "",
    checkStateFunction: () => true,
  });
  app.get("/token", async (request) => {
    const { token } = (await app.oauth2Github?.getAccessTokenFromAuthorizationCodeFlow(request)) ?? {};
    return token;
  });

  return async (code: string, redirectUri: string): Promise<string> => {
    const answer = await app.inject({ url: "/token", query: { code, redirect_uri: redirectUri } });
    const body: unknown = answer.json();
    if (answer.statusCode >= 500) throw unreachable(label, `status ${answer.statusCode}`);
    const token = Token.safeParse(body);
    // GitHub sends refusals with status 200.
    if (!token.success) throw refused(label, Refusal.safeParse(body).data?.error);
    return token.data.access_token;
  };
}

const Back = z.object({ redirect_uri: z.string() });
