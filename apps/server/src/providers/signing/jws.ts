import { createHmac, createSign } from "node:crypto";

/** JSON web signatures in their compact form (RFC 7515). */

/** @param pem private key; throws when it cannot be read */
export function signRs256(header: string, payload: string, pem: string): string {
  const input = signingInput(header, payload);
  return `${input}.${createSign("RSA-SHA256").update(input).sign(pem, "base64url")}`;
}

export function signHs256(header: string, payload: string, secret: string | Buffer): string {
  const input = signingInput(header, payload);
  return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`;
}

function signingInput(header: string, payload: string): string {
  return `${Buffer.from(header).toString("base64url")}.${Buffer.from(payload).toString("base64url")}`;
}
