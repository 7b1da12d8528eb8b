import { parseRecord } from "./wire.ts";

/**
 * What proves a reasoning part to its provider, in one opaque string, for wires that have a single place for it.
 * A plain signature stays as it is; anything more is marked, so that it comes back as what it was.
 */

interface Proof {
  signature?: string | undefined;
  encrypted?: string | undefined;
  id?: string | undefined;
}

const mark = "proof:";

/** Undefined when there is nothing to prove with. */
export function packProof(proof: Proof, plain: "signature" | "encrypted"): string | undefined {
  const { signature, encrypted, id } = proof;
  if (signature === undefined && encrypted === undefined) return undefined;
  if (plain === "signature" && encrypted === undefined && id === undefined) return signature;
  if (plain === "encrypted" && signature === undefined) return encrypted;
  const json = JSON.stringify({ s: signature, e: encrypted, i: id });
  return mark + Buffer.from(json, "utf8").toString("base64url");
}

/** Reads what `packProof` wrote; anything else is the provider's own string in the slot's plain meaning. */
export function unpackProof(text: string, plain: "signature" | "encrypted"): Proof {
  if (!text.startsWith(mark)) return plain === "signature" ? { signature: text } : { encrypted: text };
  const fields = parseRecord(Buffer.from(text.slice(mark.length), "base64url").toString("utf8"));
  const proof: Proof = {};
  if (typeof fields?.["s"] === "string") proof.signature = fields["s"];
  if (typeof fields?.["e"] === "string") proof.encrypted = fields["e"];
  if (typeof fields?.["i"] === "string") proof.id = fields["i"];
  return proof;
}
