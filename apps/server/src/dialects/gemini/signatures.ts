import type { Wire } from "#dialects/dialect.ts";
import { asRecord } from "#dialects/wire.ts";

/**
 * From its third generation on the provider refuses a history whose calls do not carry what proves the thought before
 * them. Clients of other dialects have no place for that on a call and keep it on a thought, or lose it.
 */
const demanding = /gemini-(?:[3-9]|\d{2})/;

/** What the provider takes in place of a proof that is lost. */
const lost = "skip_thought_signature_validator";

/** The first call of each turn carries the proof; calls beside it never have one. */
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
