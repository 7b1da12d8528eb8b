import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";

/**
 * Encryption and hashing of stored credentials. Two keys are derived from one process secret. One encrypts
 * what must be shown or used again (channel keys, token keys). The other makes keyed hashes of what must only
 * be recognised (presented keys, cookies).
 */
export interface Secrets {
  /** Encrypts with AES-256-GCM and a fresh nonce per call. `context` binds the cipher text to its place. */
  encrypt(plain: string, context: string): Uint8Array<ArrayBuffer>;
  /** Throws when the cipher text was changed, moved to another context, or made with another secret. */
  decrypt(sealed: Uint8Array, context: string): string;
  /** HMAC-SHA256. Finds a row by a presented secret without storing the secret. */
  hash(value: string): Uint8Array<ArrayBuffer>;
}

const NONCE = 12;
const TAG = 16;

export function openSecrets(secretKey: string): Secrets {
  const derive = (purpose: string) => Buffer.from(hkdfSync("sha256", secretKey, "gateway", purpose, 32));
  const encryptionKey = derive("encryption");
  const hashKey = derive("lookup");
  return {
    encrypt(plain, context) {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv("aes-256-gcm", encryptionKey, nonce).setAAD(Buffer.from(context));
      const text = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return new Uint8Array(Buffer.concat([nonce, cipher.getAuthTag(), text]));
    },
    decrypt(sealed, context) {
      const buffer = Buffer.from(sealed);
      const decipher = createDecipheriv("aes-256-gcm", encryptionKey, buffer.subarray(0, NONCE))
        .setAAD(Buffer.from(context))
        .setAuthTag(buffer.subarray(NONCE, NONCE + TAG));
      return decipher.update(buffer.subarray(NONCE + TAG), undefined, "utf8") + decipher.final("utf8");
    },
    hash: (value) => new Uint8Array(createHmac("sha256", hashKey).update(value).digest()),
  };
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/**
 * Returns random letters and digits; 43 characters carry 256 bits. Unbiased: bytes beyond the last full cycle
 * are redrawn.
 */
export function randomText(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += ALPHABET.charAt(byte % 62);
    }
  }
  return text;
}

/** Returns "sk-abcd…wxyz": enough to recognise a secret, too little to use it. */
export function hintOf(secret: string): string {
  return secret.length < 16 ? `${secret.slice(0, 2)}…` : `${secret.slice(0, 7)}…${secret.slice(-4)}`;
}

export function sameSecret(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}
