/**
 * The text of derived keys: a chain of HMACs, like a macaroon. Clients derive them from an API key without the gateway
 * (docs/derived-keys.md), so what is computed here must never change. It must not read a database.
 *
 * `sk-dk1-` and base64url of: ID of the API key (16 bytes), for each level its length (2 bytes) and its restrictions as
 * JSON, MAC (32 bytes). The MAC of a level is the HMAC of its JSON with the MAC of the level before. The first one uses a
 * secret that follows from the API key.
 */
import { createHash, createHmac, randomBytes } from "node:crypto";
import {
  DEEPEST_DERIVED_KEY,
  DerivedKeyRestrictions,
  LONGEST_DERIVED_KEY,
} from "@gateway/shared/accounts/derived-key";
import { sameSecret } from "#platform/secrets.ts";

export const derivedKeyPrefix = "sk-dk1-";

const ID_BYTES = 16;
const LENGTH_BYTES = 2;
const MAC_BYTES = 32;
const NONCE_BYTES = 9;
const ID_PURPOSE = "gateway derived key v1 id";
const SECRET_PURPOSE = "gateway derived key v1";

export interface ParsedDerivedKey {
  /** ID of the API key at the beginning of the chain, in hexadecimal. */
  parentId: string;
  /** Outermost first. */
  levels: { json: Buffer; restrictions: DerivedKeyRestrictions }[];
  mac: Buffer;
}

/** Returns the ID by which derived keys name an API key, in hexadecimal. It does not reveal the key. */
export function derivationIdOf(key: string): string {
  return hmac(key, ID_PURPOSE).subarray(0, ID_BYTES).toString("hex");
}

/** Returns the secret with which the first level of a key's derived keys is authenticated. */
export function derivationSecretOf(key: string): Buffer {
  return hmac(key, SECRET_PURPOSE);
}

/**
 * Derives a key. Returns its text and its ID. Throws a `RangeError` for a key that is too long or has too many levels.
 * @param parent an API key, or a derived key
 */
export function deriveKey(parent: string, restrictions: DerivedKeyRestrictions): { key: string; id: string } {
  const level = {
    ...restrictions,
    nonce: restrictions.nonce ?? randomBytes(NONCE_BYTES).toString("base64url"),
  };
  const json = Buffer.from(JSON.stringify(level));
  const { head, secret } = beginningOf(parent);
  const mac = hmac(secret, json);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt16BE(json.length);
  const key = derivedKeyPrefix + Buffer.concat([head, length, json, mac]).toString("base64url");
  if (parseDerivedKey(key) === undefined)
    throw new RangeError(
      `A derived key has at most ${LONGEST_DERIVED_KEY} characters and ${DEEPEST_DERIVED_KEY} levels. Use fewer restrictions.`,
    );
  return { key, id: idOf(mac) };
}

function beginningOf(parent: string): { head: Buffer; secret: Buffer } {
  if (!parent.startsWith(derivedKeyPrefix))
    return { head: Buffer.from(derivationIdOf(parent), "hex"), secret: derivationSecretOf(parent) };
  const bytes = Buffer.from(parent.slice(derivedKeyPrefix.length), "base64url");
  return { head: bytes.subarray(0, -MAC_BYTES), secret: bytes.subarray(-MAC_BYTES) };
}

/** Returns the parts of a derived key; undefined for an unreadable one. Nothing is authenticated yet. */
export function parseDerivedKey(text: string): ParsedDerivedKey | undefined {
  if (text.length > LONGEST_DERIVED_KEY || !text.startsWith(derivedKeyPrefix)) return undefined;
  const body = text.slice(derivedKeyPrefix.length);
  const bytes = Buffer.from(body, "base64url");
  // Each key has one text.
  if (bytes.toString("base64url") !== body || bytes.length < ID_BYTES + MAC_BYTES) return undefined;
  const end = bytes.length - MAC_BYTES;
  const levels: ParsedDerivedKey["levels"] = [];
  for (let at = ID_BYTES; at < end;) {
    if (levels.length === DEEPEST_DERIVED_KEY || at + LENGTH_BYTES > end) return undefined;
    const from = at + LENGTH_BYTES;
    at = from + bytes.readUInt16BE(at);
    if (at > end) return undefined;
    const json = bytes.subarray(from, at);
    const restrictions = readRestrictions(json);
    if (restrictions === undefined) return undefined;
    levels.push({ json, restrictions });
  }
  if (levels.length === 0) return undefined;
  return { parentId: bytes.toString("hex", 0, ID_BYTES), levels, mac: bytes.subarray(end) };
}

function readRestrictions(json: Buffer): DerivedKeyRestrictions | undefined {
  try {
    return DerivedKeyRestrictions.safeParse(JSON.parse(json.toString())).data;
  } catch {
    return undefined;
  }
}

/**
 * Returns the ID of each level, outermost first; undefined when the MAC is wrong.
 * @param secret `derivationSecretOf` the API key
 */
export function authenticateLevels({ levels, mac }: ParsedDerivedKey, secret: Buffer): string[] | undefined {
  const ids: string[] = [];
  let last = secret;
  for (const { json } of levels) {
    last = hmac(last, json);
    ids.push(idOf(last));
  }
  return sameSecret(last, mac) ? ids : undefined;
}

/** A MAC is a secret: it derives further keys. Its hash is not. */
function idOf(mac: Buffer): string {
  return createHash("sha256")
    .update(mac)
    .digest("hex")
    .slice(0, 2 * ID_BYTES);
}

function hmac(key: string | Buffer, text: string | Buffer): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
