import { Secret, TOTP } from "otpauth";

/** Time-based one-time passwords (RFC 6238) as every authenticator app makes them: SHA-1, 30 seconds, six digits. */

/** The step a code belongs to: now, or one to either side for clocks that are off. Undefined when none fits. */
export function stepOf(secret: Uint8Array, code: string, nowMs: number): number | undefined {
  // The library compares in constant time and throws when letters need more bytes than digits.
  if (!/^\d{6}$/.test(code)) return undefined;
  const delta = TOTP.validate({ token: code, secret: secretOf(secret), timestamp: nowMs });
  return delta === null ? undefined : TOTP.counter({ timestamp: nowMs }) + delta;
}

/** How people type a secret that they cannot scan. */
export function base32(secret: Uint8Array): string {
  return secretOf(secret).base32;
}

/** What authenticator apps read from a QR code. */
export function totpUri(issuer: string, account: string, secret: Uint8Array): string {
  return new TOTP({ issuer, label: account, secret: secretOf(secret) }).toString();
}

function secretOf(bytes: Uint8Array): Secret {
  return new Secret({ buffer: Uint8Array.from(bytes).buffer });
}
