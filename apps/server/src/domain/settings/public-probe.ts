import type { Secrets } from "#platform/secrets.ts";

/** What `gateway doctor` and the server agree on when the public address is probed. */
export const probeEvents = { count: 5, everyMs: 300 } as const;

/** Only an installation with the same SECRET_KEY can compute it. */
export function probeSignature(secrets: Secrets, nonce: string): string {
  return Buffer.from(secrets.hash(`probe ${nonce}`)).toString("hex");
}
