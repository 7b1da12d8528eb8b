import { createHmac, createSign, type KeyLike } from "node:crypto";

/** Returns a JSON web signature in compact form, RFC 7515. Throws when the private key cannot be read. */
export function signRs256(header: string, payload: string, privateKey: KeyLike): string {
  const input = `${Buffer.from(header).toString("base64url")}.${Buffer.from(payload).toString("base64url")}`;
  return `${input}.${createSign("RSA-SHA256").update(input).sign(privateKey, "base64url")}`;
}

/** Does the same with a shared secret. */
export function signHs256(header: string, payload: string, secret: string): string {
  const input = `${Buffer.from(header).toString("base64url")}.${Buffer.from(payload).toString("base64url")}`;
  return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`;
}
