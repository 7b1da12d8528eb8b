import type { Wire } from "#dialects/dialect.ts";
import { asRecord } from "#dialects/wire.ts";

/**
 * Models that reject a history whose calls lack the proof of the thinking before them: Gemini 3 and later.
 * Clients of other dialects have no field for it on a call; they keep it on the reasoning, or lose it.
 */
const demanding = /gemini-(?:[3-9]|\d{2})/;

/** Value that the provider accepts in place of a lost proof. */
const lost = "skip_thought_signature_validator";

/** Adds the proof to the first call of each turn; calls beside it never have one. */
export function signCalls(contents: Wire[], model: string): Wire[] {
  if (!demanding.test(model)) return contents;
  return contents.map((content) => {
    const parts = Array.isArray(content["parts"]) ? (content["parts"] as Wire[]) : [];
    const first = parts.findIndex((part) => asRecord(part["functionCall"]) !== undefined);
    const call = parts[first];
    if (call === undefined || call["thoughtSignature"] !== undefined) return content;
    const before = parts[first - 1];
    const { thoughtSignature: kept, ...thought } = before ?? {};
    const signed = { ...call, thoughtSignature: kept ?? lost };
    const isEmpty = kept !== undefined && thought["text"] === "";
    const front = kept === undefined ? parts.slice(0, first) : parts.slice(0, first - 1);
    const middle = kept === undefined || isEmpty ? [] : [thought];
    return { ...content, parts: [...front, ...middle, signed, ...parts.slice(first + 1)] };
  });
}

const callOf = (part: Wire) => asRecord(part["functionCall"] ?? part["function_call"]);
const isSigned = (part: Wire) => (part["thoughtSignature"] ?? part["thought_signature"]) !== undefined;

/**
 * Does the same for a body of this dialect: calls of other providers have no proof, and those of this one may
 * have lost it. Contents of the model that follow each other are one turn. Returns the same body when nothing
 * changes.
 */
export function signLostCalls(body: Wire, model: string): Wire {
  const { contents } = body;
  if (!demanding.test(model) || !Array.isArray(contents)) return body;
  let isOpen = true;
  let isChanged = false;
  const signed = contents.map((content: unknown) => {
    const wire = asRecord(content);
    const parts = Array.isArray(wire?.["parts"]) ? (wire["parts"] as unknown[]) : [];
    if (wire?.["role"] !== "model") {
      isOpen = true;
      return content;
    }
    const at = parts.findIndex((part) => callOf(asRecord(part) ?? {}) !== undefined);
    const call = asRecord(parts[at]);
    if (call === undefined || !isOpen) return content;
    isOpen = false;
    // A proof may stand before the call, in a part of its own.
    if (isSigned(call) || parts.slice(0, at).some((part) => isSigned(asRecord(part) ?? {}))) return content;
    isChanged = true;
    return { ...wire, parts: parts.with(at, { ...call, thoughtSignature: lost }) };
  });
  return isChanged ? { ...body, contents: signed } : body;
}
