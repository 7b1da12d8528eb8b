import { createDecipheriv, createHash, hkdfSync } from "node:crypto";
import { xsalsa20poly1305 } from "@noble/ciphers/salsa.js";

/**
 * Opens what LiteLLM encrypts in its database with `LITELLM_SALT_KEY`, or with the master key where that is not set. Formats:
 * `v3:gcm:` (key by HKDF) and `v2:gcm:` (key by SHA-256) are AES-256-GCM; without a prefix it is a NaCl secret box.
 */
export interface SaltKey {
  /** The text; undefined when the value is no cipher text of this key. */
  open(value: string): string | undefined;
}

const nonceBytes = 12;
const tagBytes = 16;
const boxNonceBytes = 24;
/** Nonce and tag of a secret box around an empty text. */
const leastBox = boxNonceBytes + tagBytes;
const gcm = /^v([23]):gcm:/;

export function saltKey(salt: string): SaltKey {
  const plainKey = createHash("sha256").update(salt).digest();
  const derivedKey = Buffer.from(hkdfSync("sha256", salt, Buffer.alloc(0), "litellm-at-rest-v3", 32));
  return {
    open(value) {
      try {
        const version = gcm.exec(value)?.[1];
        if (version === undefined) return openBox(plainKey, bytesOf(value));
        return openGcm(version === "3" ? derivedKey : plainKey, bytesOf(value.replace(gcm, "")));
      } catch {
        return undefined;
      }
    },
  };
}

/** Whether a value looks like a cipher text: a setting in the clear has no such form. */
export function looksEncrypted(value: string): boolean {
  if (gcm.test(value)) return true;
  return /^[\w+/-]{52,}={0,2}$/.test(value) && value.length % 4 === 0;
}

/** Node reads the standard and the URL-safe alphabet. */
function bytesOf(value: string): Buffer {
  return Buffer.from(value, "base64");
}

function openGcm(key: Buffer, bytes: Buffer): string {
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  const text = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
  return Buffer.concat([text, decipher.final()]).toString("utf8");
}

function openBox(key: Buffer, bytes: Buffer): string | undefined {
  if (bytes.length < leastBox) return undefined;
  const box = xsalsa20poly1305(key, bytes.subarray(0, boxNonceBytes));
  return Buffer.from(box.decrypt(bytes.subarray(boxNonceBytes))).toString("utf8");
}
