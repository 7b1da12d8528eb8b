import type { Settings } from "@gateway/shared/site/settings";
import * as openid from "openid-client";
import { z } from "zod";
import { asError, identityRefused, unreachable } from "./ask.ts";
import type { Arrival, ExternalIdentity, Fetch, IdentityProvider } from "./provider.ts";

/** Any OpenID Connect provider, discovered by its issuer, with PKCE and a nonce. */
const label = "OpenID Connect";
const TIMEOUT_SECONDS = 10;

const Claims = z.looseObject({
  sub: z.string().min(1),
  name: z.string().nullish().catch(null),
  email: z.string().nullish().catch(null),
  email_verified: z.boolean().nullish().catch(null),
});

export function oidc(): IdentityProvider {
  return {
    id: "oidc",
    label,
    enabledBy: "OIDCAuthEnabled",
    needs: ["OIDCClientId", "OIDCClientSecret", "OIDCIssuer"],
    reads: ["OIDCScopes", "OIDCUsernameClaims"],
    async open(settings, fetch) {
      const config = await discover(settings, fetch);
      return {
        async authorizeUrl(visit) {
          const redirect_uri = visit.redirectUri();
          const { state, nonce, verifier } = await visit.issueState();
          const url = openid.buildAuthorizationUrl(config, {
            redirect_uri,
            scope: scopesOf(settings),
            state,
            nonce,
            code_challenge: await openid.calculatePKCECodeChallenge(verifier),
            code_challenge_method: "S256",
          });
          return url.href;
        },
        async identify(visit) {
          const back = new URL(visit.redirectUri());
          const claims = await claimsOf(config, await visit.checkState(), back);
          return identityOf(claims, settings.OIDCUsernameClaims);
        },
      };
    },
  };
}

async function discover(settings: Settings, fetch: Fetch): Promise<openid.Configuration> {
  const issuer = URL.parse(settings.OIDCIssuer.trim());
  if (issuer === null) throw unreachable(label, "the issuer is no URL");
  try {
    return await openid.discovery(
      issuer,
      settings.OIDCClientId,
      { client_secret: settings.OIDCClientSecret },
      authenticationBy(settings.OIDCClientSecret),
      {
        [openid.customFetch]: (url, options) => fetch(url, options),
        timeout: TIMEOUT_SECONDS,
        // An operator who configures a plain http address intends it, for example inside a private network.
        ...(issuer.protocol === "http:" ? { execute: [openid.allowInsecureRequests] } : {}),
      },
    );
  } catch (error) {
    throw unreachable(label, asError(error));
  }
}

/** Returns the client authentication that the provider supports. The default is the header. */
function authenticationBy(secret: string): openid.ClientAuth {
  const inBody = openid.ClientSecretPost(secret);
  const inHeader = openid.ClientSecretBasic(secret);
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const authenticate = methods.includes("client_secret_basic") ? inHeader : inBody;
    return authenticate(server, client, body, headers);
  };
}

async function claimsOf(
  config: openid.Configuration,
  arrival: Arrival,
  url: URL,
): Promise<z.infer<typeof Claims>> {
  url.search = new URLSearchParams({
    code: arrival.code,
    state: arrival.state,
    ...(arrival.iss === undefined ? {} : { iss: arrival.iss }),
  }).toString();
  try {
    const tokens = await openid.authorizationCodeGrant(config, url, {
      pkceCodeVerifier: arrival.verifier,
      expectedNonce: arrival.nonce,
      expectedState: arrival.state,
      idTokenExpected: true,
    });
    const proven = Claims.parse(tokens.claims());
    if (config.serverMetadata().userinfo_endpoint === undefined) return proven;
    // Most providers keep names out of the token. The response must be about the same person.
    const profile = await openid.fetchUserInfo(config, tokens.access_token, proven.sub);
    return Claims.parse({ ...proven, ...profile });
  } catch (error) {
    const reason = asError(error);
    throw isPassing(reason) ? unreachable(label, reason) : identityRefused(label, reason);
  }
}

/**
 * Returns whether a retry may succeed: no connection, a timeout, or a server error. Any other error is a
 * refusal.
 */
function isPassing(error: Error): boolean {
  if (error instanceof openid.ResponseBodyError) return error.status >= 500;
  if (error.cause instanceof Response) return error.cause.status >= 500;
  return error instanceof TypeError || ("code" in error && error.code === "OAUTH_TIMEOUT");
}

function identityOf(claims: z.infer<typeof Claims>, usernameClaim: string): ExternalIdentity {
  const named = claims[usernameClaim.trim() || "preferred_username"];
  const username = typeof named === "string" ? named : "";
  return {
    subject: claims.sub,
    label: username || (claims.email ?? claims.name ?? ""),
    username,
    displayName: claims.name ?? "",
    email: claims.email_verified === true ? (claims.email ?? null) : null,
  };
}

/** Returns the configured scopes, separated by commas or spaces. OpenID Connect requires `openid`. */
function scopesOf(settings: Settings): string {
  const requested = settings.OIDCScopes.split(/[\s,]+/).filter((scope) => scope !== "");
  return [...new Set(["openid", ...requested])].join(" ");
}
