/**
 * Passwords as argon2id with the library's defaults (19 MiB, two passes), computed off the event loop.
 * Imported hashes (bcrypt; scrypt and SHA-256 of LiteLLM) are also verified, and replaced at the next
 * sign-in.
 */
import { createHash, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { hash, verify } from "@node-rs/argon2";
import { verify as verifyBcrypt } from "@node-rs/bcrypt";

/** Hash to compare with for a missing account, so that its response takes as long as for a wrong password. */
const DUMMY_HASH =
  "$argon2id$v=19$m=19456,t=2,p=1$fQ3rI/0cQGI8drxaz6aEXg$Ps3FMNnPaIoNKL81M7YbHU9XNYwHzEL69MnVYcuuJMs";
const DUMMY_BCRYPT = "$2b$10$8F5rCd81v3.MEyqBh09D7OEkNb2.ZowLeWjDOGoVUFZo2ikzyQBki";

const bcryptHash = /^\$2[aby]\$\d\d\$[./A-Za-z\d]{53}$/;
const scryptHash = /^scrypt:([A-Za-z\d+/=]{40,128})$/;
const shaHash = /^[\da-f]{64}$/;

const deriveKey = promisify<Buffer | string, Buffer, number, { N: number; r: number; p: number }, Buffer>(
  scrypt,
);

export function hashPassword(password: string): Promise<string> {
  return hash(password);
}

/** Returns whether a hash of another gateway can be verified here. */
export function isKnownHash(stored: string): boolean {
  return [bcryptHash, scryptHash, shaHash].some((pattern) => pattern.test(stored));
}

/** Returns whether the hash was made by another gateway and must be replaced. */
export function isForeignHash(stored: string | null): boolean {
  return stored !== null && !stored.startsWith("$argon2");
}

/**
 * Compares a password with a stored hash. Returns false for an account without a password, after the same
 * work.
 * @param hasImported whether accounts may have hashes of another gateway: every comparison then does the work
 *   of both kinds
 */
export async function passwordMatches(
  stored: string | null | undefined,
  password: string,
  hasImported = false,
): Promise<boolean> {
  const foreign = stored !== null && stored !== undefined && isForeignHash(stored);
  const [own, other] = await Promise.all([
    !foreign || hasImported ? verify(foreign ? DUMMY_HASH : (stored ?? DUMMY_HASH), password) : false,
    foreign ? matchesForeign(stored, password) : hasImported && verifyBcrypt(password, DUMMY_BCRYPT),
  ]);
  return foreign ? other : own && stored !== null && stored !== undefined;
}

async function matchesForeign(stored: string, password: string): Promise<boolean> {
  if (bcryptHash.test(stored)) return verifyBcrypt(password, stored);
  if (shaHash.test(stored))
    return timingSafeEqual(Buffer.from(stored, "hex"), createHash("sha256").update(password).digest());
  const bytes = Buffer.from(scryptHash.exec(stored)?.[1] ?? "", "base64");
  if (bytes.length !== 48) return false;
  const key = await deriveKey(password, bytes.subarray(0, 16), 32, { N: 16_384, r: 8, p: 1 });
  return timingSafeEqual(bytes.subarray(16), key);
}
