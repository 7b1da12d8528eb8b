import * as openid from "openid-client";
import { z } from "zod";
import { forbidden } from "#errors.ts";
import { asError, identityError, unreachable } from "./ask.ts";
import type { Arrival, ExternalIdentity, Fetch, IdentityClient } from "./provider.ts";

/** Any OpenID Connect provider, discovered by its issuer, with PKCE and a nonce. */
const TIMEOUT_SECONDS = 10;

/** Maximum number of groups of one person. Entra ID sends at most 200. */
const MOST_GROUPS = 1_000;

const Claims = z.looseObject({
  sub: z.string().min(1),
  name: z.string().nullish().catch(null),
  email: z.string().nullish().catch(null),
  email_verified: z.boolean().nullish().catch(null),
});
type Claims = z.infer<typeof Claims>;

/** A client at one provider. */
export interface OidcConfig {
  /** Name of the provider, for the log. */
  label: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Separated by commas or spaces. */
  scopes: string;
  usernameClaim: string;
  /** The claim that identifies a person permanently. It must be in the ID token. */
  subjectClaim: "sub" | "oid";
  /** The claim with the groups of a person; "" = not read. */
  groupsClaim: string;
}

/** Opens a client: reads the provider's metadata. Throws `upstream_failed`. */
export async function openOidc(wanted: OidcConfig, fetch: Fetch): Promise<IdentityClient> {
  const config = await discover(wanted, fetch);
  return {
    async authorizeUrl(visit) {
      const redirect_uri = visit.redirectUri();
      const { state, nonce, verifier } = await visit.issueState();
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri,
        scope: scopesOf(wanted),
        state,
        nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      });
      return url.href;
    },
    async identify(visit) {
      const back = new URL(visit.redirectUri());
      const claims = await claimsOf(config, wanted, { arrival: await visit.checkState(), url: back });
      return identityOf(claims, wanted);
    },
  };
}

/** Reads the metadata of a provider without a client, to test its issuer. Throws `upstream_failed`. */
export async function readOidcMetadata(issuer: string, fetch: Fetch): Promise<openid.ServerMetadata> {
  const config = await discover({ label: issuer, issuer, clientId: "test", clientSecret: "test" }, fetch);
  return config.serverMetadata();
}

async function discover(
  {
    label,
    issuer: text,
    clientId,
    clientSecret,
  }: Pick<OidcConfig, "label" | "issuer" | "clientId" | "clientSecret">,
  fetch: Fetch,
): Promise<openid.Configuration> {
  const issuer = URL.parse(text.trim());
  if (issuer === null) throw unreachable(label, "the issuer is no URL");
  try {
    return await openid.discovery(
      issuer,
      clientId,
      { client_secret: clientSecret },
      authenticationBy(clientSecret),
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
  { label, subjectClaim }: OidcConfig,
  { arrival, url }: { arrival: Arrival; url: URL },
): Promise<Claims> {
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
    return Claims.parse({ ...proven, ...profile, [subjectClaim]: proven[subjectClaim] });
  } catch (error) {
    const reason = asError(error);
    throw isPassing(reason) ? unreachable(label, reason) : identityError(label, reason);
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

/** Throws `forbidden` without the claim that identifies the person, or without groups that were left out. */
function identityOf(
  claims: Claims,
  { label, usernameClaim, subjectClaim, groupsClaim }: OidcConfig,
): ExternalIdentity {
  const subject = claims[subjectClaim];
  if (typeof subject !== "string" || subject === "" || subject.length > 255)
    throw identityError(label, `the ID token has no usable claim ${subjectClaim}`);
  const named = claims[usernameClaim.trim() || "preferred_username"];
  const username = typeof named === "string" ? named : "";
  return {
    subject,
    label: username || (claims.email ?? claims.name ?? ""),
    username,
    displayName: claims.name ?? "",
    email: claims.email_verified === true ? (claims.email ?? null) : null,
    ...(groupsClaim === "" ? {} : { groups: groupsIn(claims, groupsClaim) }),
  };
}

const LeftOut = z.record(z.string(), z.unknown());

/**
 * Returns the groups in a claim: a list, or one text. Someone without groups may have no such claim. Throws
 * `forbidden` if they were left out because there are too many:
 * https://learn.microsoft.com/entra/identity-platform/access-token-claims-reference#groups-overage-claim
 */
function groupsIn(claims: Claims, name: string): string[] {
  const leftOut = LeftOut.safeParse(claims["_claim_names"]).data ?? {};
  const value = claims[name];
  const groups = (Array.isArray(value) ? value : [value]).filter((each) => typeof each === "string");
  if ((value === undefined && Object.hasOwn(leftOut, name)) || groups.length > MOST_GROUPS)
    throw forbidden({ reason: "sign_in_groups_missing" });
  return groups;
}

/** Returns the configured scopes, separated by commas or spaces. OpenID Connect requires `openid`. */
function scopesOf({ scopes }: OidcConfig): string {
  const requested = scopes.split(/[\s,]+/).filter((scope) => scope !== "");
  return [...new Set(["openid", ...requested])].join(" ");
}
