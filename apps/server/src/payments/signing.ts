/** Keys as merchants paste them, and signatures with them. */
import {
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  timingSafeEqual,
  verify,
} from "node:crypto";
import type { FieldIssue } from "@gateway/shared/errors";
import { internalError } from "#errors.ts";

/** Parses a private key in PEM, or the base64 inside it. Throws for anything but an RSA key. */
export function privateKeyOf(text: string): KeyObject {
  return firstRsa([
    () => createPrivateKey(text),
    () => createPrivateKey({ key: derOf(text), format: "der", type: "pkcs8" }),
    () => createPrivateKey({ key: derOf(text), format: "der", type: "pkcs1" }),
  ]);
}

/** Parses a public key or a certificate in the same formats. */
export function publicKeyOf(text: string): KeyObject {
  if (text.includes("PRIVATE KEY")) throw new Error("This is a private key.");
  return firstRsa([
    () => createPublicKey(text),
    () => createPublicKey({ key: derOf(text), format: "der", type: "spki" }),
    () => createPublicKey({ key: derOf(text), format: "der", type: "pkcs1" }),
  ]);
}

/** Returns an issue per field whose key cannot be parsed. */
export function keyProblems(
  keys: Record<string, { text: string; kind: "private" | "public" }>,
): Record<string, FieldIssue> {
  const problems: Record<string, FieldIssue> = {};
  for (const [field, { text, kind }] of Object.entries(keys)) {
    try {
      if (kind === "private") privateKeyOf(text);
      else publicKeyOf(text);
    } catch {
      problems[field] = { reason: kind === "private" ? "not_private_key" : "not_public_key" };
    }
  }
  return problems;
}

/** Signs with RSA and SHA-256. Returns base64. */
export function signRsa(message: string, key: KeyObject): string {
  return sign("sha256", Buffer.from(message), key).toString("base64");
}

export function isSignedRsa(message: string, signature: string, key: KeyObject): boolean {
  return verify("sha256", Buffer.from(message), key, Buffer.from(signature, "base64"));
}

/** Compares two texts in constant time. */
export function sameText(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/**
 * Returns the text of a form that is signed: `a=1&b=2` sorted by name, without empty values and the names
 * left out. The protocols encode nothing, so a value with `&` or `=` could be read as further fields. Throws
 * `internal` for such a value: we must not sign one, and received values are checked before.
 */
export function signedText(fields: Record<string, string | undefined>, leftOut: readonly string[]): string {
  const signed = Object.entries(fields).filter(([name, value]) => value && !leftOut.includes(name));
  for (const [name, value] of signed) {
    if (!/[&=]/.test(`${name}${value}`)) continue;
    throw internalError(new Error(`The field ${name} has a character that cannot be signed.`));
  }
  return signed
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

/**
 * Parses a form or query. Returns undefined when a name is repeated, because it is then unclear what was
 * signed.
 */
export function readForm(text: string): Record<string, string> | undefined {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (fields.has(name)) return undefined;
    fields.set(name, value);
  }
  return Object.fromEntries(fields);
}

function derOf(text: string): Buffer {
  return Buffer.from(text.replace(/-----[^-]+-----/g, "").replace(/\s/g, ""), "base64");
}

function firstRsa(parsers: (() => KeyObject)[]): KeyObject {
  for (const parse of parsers) {
    try {
      const key = parse();
      if (key.asymmetricKeyType === "rsa") return key;
    } catch {
      // Not in this form; perhaps in the next.
    }
  }
  throw new Error("There is no RSA key in this text.");
}
