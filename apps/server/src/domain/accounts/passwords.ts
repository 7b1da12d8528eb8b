import { hash, verify } from "@node-rs/argon2";

/** Passwords as argon2id with the library's defaults (19 MiB, two passes), computed off the event loop. */

/** What a missing account is compared with, so that its answer takes as long as a wrong password's. */
const DUMMY_HASH =
  "$argon2id$v=19$m=19456,t=2,p=1$fQ3rI/0cQGI8drxaz6aEXg$Ps3FMNnPaIoNKL81M7YbHU9XNYwHzEL69MnVYcuuJMs";

export function hashPassword(password: string): Promise<string> {
  return hash(password);
}

/** False for an account without a password, after the same work. */
export async function passwordMatches(stored: string | null | undefined, password: string): Promise<boolean> {
  const matches = await verify(stored ?? DUMMY_HASH, password);
  return matches && stored !== null && stored !== undefined;
}
