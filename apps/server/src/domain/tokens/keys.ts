/** The text of API keys: how a key is made, stored and shown. */
import type { Token } from "#platform/prisma/client.ts";
import { hintOf, randomText, type Secrets } from "#platform/secrets.ts";
import { derivationIdOf } from "./derived-keys/derived-key.ts";

const KEY_LENGTH = 48;

/** Returns the whole key, for its owner; "" for a key that was imported as its hash. */
export function revealKey(secrets: Secrets, token: Pick<Token, "key_hash" | "key_encrypted">): string {
  if (token.key_encrypted.length === 0) return "";
  return secrets.decrypt(token.key_encrypted, keyContext(token.key_hash));
}

export function newKey(): string {
  return `sk-${randomText(KEY_LENGTH)}`;
}

export function sealKey(secrets: Secrets, key: string) {
  const key_hash = secrets.hash(key);
  return {
    key_hash,
    key_encrypted: secrets.encrypt(key, keyContext(key_hash)),
    key_hint: hintOf(key),
    derivation_hash: derivationHash(secrets, derivationIdOf(key)),
  };
}

/** Returns the hash that finds the API key with this ID. */
export function derivationHash(secrets: Secrets, derivationId: string) {
  return secrets.hash(`derivation:${derivationId}`);
}

/** Look-up hash of a key of which only the SHA-256 was imported. */
export function importedKeyHash(secrets: Secrets, sha256: string) {
  return secrets.hash(`sha256:${sha256}`);
}

/**
 * Columns of a key of which only the SHA-256 is known, from a gateway that kept no keys. It authenticates, and cannot be shown.
 * @param sha256 of the whole key, in hexadecimal
 */
export function sealHash(secrets: Secrets, sha256: string) {
  return {
    key_hash: importedKeyHash(secrets, sha256),
    key_encrypted: new Uint8Array(),
    key_hint: "sk-…",
    derivation_hash: null,
  };
}

function keyContext(hash: Uint8Array): string {
  return `token:${Buffer.from(hash).toString("hex")}`;
}
