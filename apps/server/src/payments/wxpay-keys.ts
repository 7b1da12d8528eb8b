import { createDecipheriv, createHash, type KeyObject } from "node:crypto";
import type { PaymentConfigs } from "@gateway/shared/billing/payment-config";
import { z } from "zod";
import { readJson } from "./ask.ts";
import { notGenuine } from "./gateway.ts";
import { publicKeyOf } from "./signing.ts";

/**
 * Keys that WeChat Pay signs with: a key that the merchant was given, or certificates that rotate and are
 * fetched. Certificates arrive encrypted with a key that only WeChat Pay and the merchant have, which makes
 * them trustworthy.
 */
const DOWNLOAD_EVERY_MS = 60_000;
const MOST_MERCHANTS = 50;
const TAG = 16;

/** An encrypted resource of API v3: AES-256-GCM. */
export const Sealed = z.object({
  algorithm: z.literal("AEAD_AES_256_GCM"),
  ciphertext: z.string(),
  nonce: z.string(),
  associated_data: z.string().default(""),
});

const Certificates = z.object({
  data: z.array(z.object({ serial_no: z.string(), encrypt_certificate: Sealed })),
});

/** Decrypts a resource. Throws `forbidden` when it was not encrypted with this key. */
export function open(sealed: z.infer<typeof Sealed>, key: string): string {
  try {
    const bytes = Buffer.from(sealed.ciphertext, "base64");
    const decipher = createDecipheriv("aes-256-gcm", Buffer.from(key), Buffer.from(sealed.nonce), {
      authTagLength: TAG,
    })
      .setAAD(Buffer.from(sealed.associated_data))
      .setAuthTag(bytes.subarray(-TAG));
    return decipher.update(bytes.subarray(0, -TAG), undefined, "utf8") + decipher.final("utf8");
  } catch {
    throw notGenuine("it cannot be decrypted");
  }
}

interface Source {
  /** Returns milliseconds since 1970. */
  now(): number;
  /** Returns the list of certificates as received. */
  download(): Promise<string>;
}

/** Creates the certificate store of all merchants of this process, by serial number. */
export function createPlatformKeys() {
  const merchants = new Map<string, { keys: Map<string, KeyObject>; requestedAt: number }>();

  async function refresh(
    known: { keys: Map<string, KeyObject>; requestedAt: number },
    key: string,
    source: Source,
  ) {
    // The sender of a notification chooses the serial number, so an unknown one may cause one download a
    // minute.
    if (source.now() - known.requestedAt < DOWNLOAD_EVERY_MS) return;
    known.requestedAt = source.now();
    const list = Certificates.safeParse(readJson(await source.download()));
    for (const { serial_no, encrypt_certificate } of list.data?.data ?? []) {
      known.keys.set(serial_no, publicKeyOf(open(encrypt_certificate, key)));
    }
  }

  return {
    /** Returns a function that finds the key of a serial number; undefined when there is none. */
    of(config: PaymentConfigs["wxpay"], source: Source): (serial: string) => Promise<KeyObject | undefined> {
      const { platform_key_id, platform_public_key, mch_id, mch_apiv3_key } = config;
      if (platform_key_id !== "") {
        return async (serial) => (serial === platform_key_id ? publicKeyOf(platform_public_key) : undefined);
      }
      const name = createHash("sha256").update(`${mch_id}\n${mch_apiv3_key}`).digest("hex");
      return async (serial) => {
        if (merchants.size >= MOST_MERCHANTS && !merchants.has(name)) merchants.clear();
        const known = merchants.get(name) ?? { keys: new Map<string, KeyObject>(), requestedAt: -Infinity };
        merchants.set(name, known);
        if (!known.keys.has(serial)) await refresh(known, mch_apiv3_key, source);
        return known.keys.get(serial);
      };
    },
  };
}
