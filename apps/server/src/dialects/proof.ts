import { parseRecord } from "./wire.ts";

/**
 * Packs the proof of a reasoning part into one opaque string, for formats with a single field for it. A plain
 * signature stays unchanged. Anything more is marked, so that unpacking restores it.
 */

interface Proof {
  signature?: string | undefined;
  encrypted?: string | undefined;
  id?: string | undefined;
}

const mark = "proof:";

/** Returns undefined when there is no proof. */
export function packProof(proof: Proof, plain: "signature" | "encrypted"): string | undefined {
  const { signature, encrypted, id } = proof;
  if (signature === undefined && encrypted === undefined) return undefined;
  if (plain === "signature" && encrypted === undefined && id === undefined) return signature;
  if (plain === "encrypted" && signature === undefined) return encrypted;
  const json = JSON.stringify({ s: signature, e: encrypted, i: id });
  return mark + Buffer.from(json, "utf8").toString("base64url");
}

/**
 * Reads the output of `packProof`. Any other string is the provider's own, with the field's plain meaning.
 */
export function unpackProof(text: string, plain: "signature" | "encrypted"): Proof {
  if (!text.startsWith(mark)) return plain === "signature" ? { signature: text } : { encrypted: text };
  const fields = parseRecord(Buffer.from(text.slice(mark.length), "base64url").toString("utf8"));
  const proof: Proof = {};
  if (typeof fields?.["s"] === "string") proof.signature = fields["s"];
  if (typeof fields?.["e"] === "string") proof.encrypted = fields["e"];
  if (typeof fields?.["i"] === "string") proof.id = fields["i"];
  return proof;
}
