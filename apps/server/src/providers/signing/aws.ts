import { createHash, createHmac } from "node:crypto";
import type { Outgoing } from "#providers/provider.ts";

/**
 * AWS Signature Version 4.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html, read 2026-11.
 */
export interface AwsCredential {
  accessKey: string;
  secretKey: string;
  sessionToken?: string;
  region: string;
  service: string;
}

/**
 * Returns the request with its date and authorization. All its headers are signed.
 * @param now milliseconds since 1970
 */
export function signAws(request: Outgoing, credential: AwsCredential, now: number): Outgoing {
  const url = new URL(request.url);
  const instant = new Date(now).toISOString().replaceAll(/[-:]|\.\d{3}/g, "");
  const day = instant.slice(0, 8);
  const headers: Record<string, string> = { ...request.headers, "x-amz-date": instant };
  if (credential.sessionToken !== undefined) headers["x-amz-security-token"] = credential.sessionToken;
  const signed = { ...headers, host: url.host };
  const names = Object.keys(signed).sort();
  const canonical = [
    request.method,
    // Encoded twice: once in the URL, once more for the signature.
    url.pathname.split("/").map(encode).join("/"),
    canonicalQuery(url),
    ...names.map(
      (name) => `${name}:${(signed[name as keyof typeof signed] ?? "").trim().replaceAll(/ +/g, " ")}`,
    ),
    "",
    names.join(";"),
    sha256(request.body ?? ""),
  ].join("\n");
  const scope = `${day}/${credential.region}/${credential.service}/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", instant, scope, sha256(canonical)].join("\n");
  const key = [day, credential.region, credential.service, "aws4_request"].reduce<Buffer>(
    (secret, part) => hmac(secret, part),
    Buffer.from(`AWS4${credential.secretKey}`),
  );
  const authorization =
    `AWS4-HMAC-SHA256 Credential=${credential.accessKey}/${scope}, ` +
    `SignedHeaders=${names.join(";")}, Signature=${hmac(key, toSign).toString("hex")}`;
  return { ...request, headers: { ...headers, authorization } };
}

function canonicalQuery(url: URL): string {
  return [...url.searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join("&");
}

/** Percent-encodes as in RFC 3986: everything except letters, digits and `-_.~`. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(data: string | Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
