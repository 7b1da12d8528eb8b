import { z } from "zod";
import { parseRecord } from "#dialects/wire.ts";
import { CredentialError, type Io } from "#providers/provider.ts";
import type { IssuedToken } from "#providers/token-cache.ts";
import { signRs256 } from "./jws.ts";

/**
 * Google's service accounts. https://developers.google.com/identity/protocols/oauth2/service-account, read
 * 2026-11.
 */
const TOKEN_URL = "https://oauth2.googleapis.com/token";
const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const HOUR_S = 3_600;

const ServiceAccount = z.object({
  client_email: z.string().min(1),
  private_key: z.string().includes("PRIVATE KEY"),
  private_key_id: z.string().optional(),
  project_id: z.string().optional(),
});
export type ServiceAccount = z.infer<typeof ServiceAccount>;

/** A token that was issued elsewhere: to the identity of the machine. */
const IssuedAccess = z.object({
  type: z.literal("access_token"),
  access_token: z.string().min(1),
  project_id: z.string().optional(),
});

export type GoogleCredential = ServiceAccount | z.infer<typeof IssuedAccess>;

const TokenAnswer = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() });

/** Parses the JSON key of Google's console, or an issued token. Throws CredentialError for anything else. */
export function readGoogleCredential(key: string): GoogleCredential {
  const credential = z.union([IssuedAccess, ServiceAccount]).safeParse(parseRecord(key));
  if (credential.success) return credential.data;
  throw new CredentialError("The key must be the JSON file of a Google service account.");
}

/**
 * Returns the assertion that is exchanged for a token.
 * @param now milliseconds since 1970
 */
export function assertion(account: ServiceAccount, now: number): string {
  const issued = Math.floor(now / 1_000);
  const header = { alg: "RS256", typ: "JWT", kid: account.private_key_id };
  const claims = {
    iss: account.client_email,
    scope: SCOPE,
    aud: TOKEN_URL,
    iat: issued,
    exp: issued + HOUR_S,
  };
  try {
    return signRs256(JSON.stringify(header), JSON.stringify(claims), account.private_key);
  } catch {
    throw new CredentialError("The private key of the service account cannot be read.");
  }
}

/**
 * Returns an access token of this account, from the cache while it is valid. Throws CredentialError when
 * Google rejects the account.
 */
export function accessToken(account: GoogleCredential, io: Io): Promise<string> {
  if ("access_token" in account) return Promise.resolve(account.access_token);
  // Two keys of one account must not share a token: one of them may have been revoked.
  const name = `google:${account.client_email}:${account.private_key_id ?? account.private_key}`;
  return io.tokens.get(name, () => issue(account, io));
}

async function issue(account: ServiceAccount, io: Io): Promise<IssuedToken> {
  const form = new URLSearchParams({
    grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    assertion: assertion(account, io.now()),
  });
  const { status, text } = await io.fetch({
    method: "POST",
    url: TOKEN_URL,
    headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
    body: form.toString(),
  });
  const answer = status === 200 ? TokenAnswer.safeParse(parseRecord(text)) : undefined;
  if (answer?.success !== true)
    throw new CredentialError(`Google refused the service account (HTTP ${status}).`);
  return { token: answer.data.access_token, expiresAt: io.now() + answer.data.expires_in * 1_000 };
}
