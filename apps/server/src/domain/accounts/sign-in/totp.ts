/**
 * Time-based one-time passwords (RFC 6238) as authenticator apps generate them: SHA-1, 30 seconds, six
 * digits.
 */
import { Secret, TOTP } from "otpauth";

/**
 * Returns the step of a code: the current one, or one before or after for clocks that are off. Undefined if
 * none matches.
 */
export function stepOf(secret: Uint8Array, code: string, nowMs: number): number | undefined {
  // The library compares in constant time, and throws if letters need more bytes than digits.
  if (!/^\d{6}$/.test(code)) return undefined;
  const delta = TOTP.validate({ token: code, secret: secretOf(secret), timestamp: nowMs });
  return delta === null ? undefined : TOTP.counter({ timestamp: nowMs }) + delta;
}

/** Returns the secret in base32, for users who type it because they cannot scan it. */
export function base32(secret: Uint8Array): string {
  return secretOf(secret).base32;
}

/** Returns the URI that authenticator apps read from a QR code. */
export function totpUri(issuer: string, account: string, secret: Uint8Array): string {
  return new TOTP({ issuer, label: account, secret: secretOf(secret) }).toString();
}

function secretOf(bytes: Uint8Array): Secret {
  return new Secret({ buffer: Uint8Array.from(bytes).buffer });
}
