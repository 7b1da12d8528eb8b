/**
 * Passphrases of age files (https://age-encryption.org/v1), computed by Node. The library computes the key in
 * JavaScript on the main thread, which would stop all calls of the node for a second. Its own functions and the
 * command `age` read and write the same files.
 */
import { createCipheriv, createDecipheriv, randomBytes, scrypt, type ScryptOptions } from "node:crypto";
import { promisify } from "node:util";
import { type Identity, type Recipient, Stanza } from "age-encryption";

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

const label = Buffer.from("age-encryption.org/v1/scrypt");
/** 64 MB of memory and a quarter of a second. */
const workFactor = 16;
/** The default of the command `age`: 256 MB. */
const highestWorkFactor = 18;
const tagBytes = 16;
const saltBytes = 16;

/** Encrypts the key of a file with a passphrase. */
export function passphraseRecipient(passphrase: string): Recipient {
  return {
    async wrapFileKey(fileKey) {
      const salt = randomBytes(saltBytes);
      const cipher = createCipheriv(
        "chacha20-poly1305",
        await keyOf(passphrase, salt, workFactor),
        noNonce(),
        {
          authTagLength: tagBytes,
        },
      );
      const body = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()]);
      return [new Stanza(["scrypt", base64(salt), String(workFactor)], body)];
    },
  };
}

/** Opens files that were encrypted with the passphrase. */
export function passphraseIdentity(passphrase: string): Identity {
  return {
    async unwrapFileKey([stanza, ...others]) {
      const [kind, saltText = "", factor = ""] = stanza?.args ?? [];
      if (stanza === undefined || kind !== "scrypt" || others.length > 0) return null;
      const salt = Buffer.from(saltText, "base64");
      const isValid = /^[1-9]\d?$/.test(factor) && Number(factor) <= highestWorkFactor;
      if (!isValid || salt.length !== saltBytes || stanza.body.length <= tagBytes) return null;
      const decipher = createDecipheriv(
        "chacha20-poly1305",
        await keyOf(passphrase, salt, Number(factor)),
        noNonce(),
        { authTagLength: tagBytes },
      );
      decipher.setAuthTag(stanza.body.subarray(-tagBytes));
      try {
        return Buffer.concat([decipher.update(stanza.body.subarray(0, -tagBytes)), decipher.final()]);
      } catch {
        // Another passphrase.
        return null;
      }
    },
  };
}

async function keyOf(passphrase: string, salt: Buffer, factor: number): Promise<Buffer> {
  const N = 2 ** factor;
  return derive(passphrase, Buffer.concat([label, salt]), 32, {
    N,
    r: 8,
    p: 1,
    maxmem: 130 * 8 * N + 1_000_000,
  });
}

/** Each key encrypts one text only. */
function noNonce(): Buffer {
  return Buffer.alloc(12);
}

function base64(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "");
}
