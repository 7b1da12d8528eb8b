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
