import type { Secrets } from "#platform/secrets.ts";

/** Key of the row of `options` that identifies the secret key of this database. */
export const secretCheckKey = "SecretKeyCheck";

/** Returns the value of that row for a secret key. */
export function computeSecretCheck(secrets: Secrets): string {
  return Buffer.from(secrets.hash(secretCheckKey)).toString("base64");
}
