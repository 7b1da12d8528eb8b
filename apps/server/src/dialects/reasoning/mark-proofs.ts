import { lookupTable } from "@gateway/shared/lookup-table";
import type { AnswerMender, Wire } from "#dialects/dialect.ts";
import type { DialectId } from "#dialects/ir.ts";
import { asRecord, parseRecord } from "#dialects/wire.ts";
import { homeOf, markedProof, type ProofOrigin } from "./proof.ts";

/**
 * Marks the proofs of a response that otherwise passes unchanged, when its provider is not the one that its
 * dialect comes from. Otherwise a later request of the conversation could not tell them apart. Pure.
 */

/** Field of the proof by the type of its object, in all dialects; Gemini's parts have no type. */
const fields = lookupTable<string>({
  thinking: "signature",
  signature_delta: "signature",
  redacted_thinking: "data",
  reasoning: "encrypted_content",
});
const gemini = "thoughtSignature";

const hasProof = /"(?:signature|redacted_thinking|encrypted_content|thoughtSignature)"/;

function marked(value: unknown, origin: ProofOrigin): unknown {
  if (Array.isArray(value)) return value.map((each) => marked(each, origin));
  const wire = asRecord(value);
  if (wire === undefined) return value;
  const { type } = wire;
  const field = (typeof type === "string" ? fields[type] : undefined) ?? gemini;
  const plain = field === "signature" || field === gemini ? "signature" : "encrypted";
  return Object.fromEntries(
    Object.entries(wire).map(([key, each]) => [
      key,
      key === field && typeof each === "string" ? markedProof(each, plain, origin) : marked(each, origin),
    ]),
  );
}

/** Returns undefined when the proofs of this origin need no mark in this dialect. */
export function markProofs(dialect: DialectId, origin: ProofOrigin | undefined): AnswerMender | undefined {
  const home = homeOf(dialect);
  if (origin === undefined || home === undefined || origin === home) return undefined;
  return {
    whole: (body) => marked(body, origin) as Wire,
    frame(data) {
      const wire = hasProof.test(data) ? parseRecord(data) : undefined;
      return wire === undefined ? undefined : [JSON.stringify(marked(wire, origin))];
    },
    end: () => [],
    usage: () => undefined,
  };
}

/** Applies both menders, in this order. */
export function bothMenders(
  first: AnswerMender | undefined,
  second: AnswerMender | undefined,
): AnswerMender | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return {
    whole: (body) => second.whole(first.whole(body)),
    frame(data) {
      const frames = first.frame(data);
      if (frames === undefined) return second.frame(data);
      return frames.flatMap((each) => second.frame(each) ?? [each]);
    },
    end: () => [...first.end().flatMap((each) => second.frame(each) ?? [each]), ...second.end()],
    usage: () => first.usage() ?? second.usage(),
  };
}
