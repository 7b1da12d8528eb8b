import type { Wire } from "#dialects/dialect.ts";
import type { Usage } from "#dialects/ir.ts";
import { tokens, usageOf, withinTotals } from "#dialects/usage/tokens.ts";
import { compact, readAs } from "#dialects/wire.ts";
import { usageMetadata } from "./schema.ts";

type Counts = Array<{ modality?: string | null; tokenCount?: number | null }> | null | undefined;

function ofModality(counts: Counts, modality: string): number | undefined {
  const found = counts?.filter((each) => each.modality === modality) ?? [];
  return found.length === 0
    ? undefined
    : found.reduce((sum, each) => sum + (tokens(each.tokenCount) ?? 0), 0);
}

/**
 * Decodes the usage. Reasoning tokens, and tokens that built-in tools add to the prompt, are separate counts
 * here; the IR includes them in the totals.
 */
export function decodeUsage(value: unknown, searches: number): Usage | undefined {
  const wire = readAs(usageMetadata, value);
  if (wire === undefined) return undefined;
  const prompt = tokens(wire.promptTokenCount);
  const written = tokens(wire.candidatesTokenCount);
  const thoughts = tokens(wire.thoughtsTokenCount);
  const isNone = written === undefined && typeof wire.candidatesTokenCount === "number";
  const output = !isNone && (written !== undefined || thoughts !== undefined);
  return usageOf({
    input: prompt === undefined ? undefined : prompt + (tokens(wire.toolUsePromptTokenCount) ?? 0),
    output: output ? (written ?? 0) + (thoughts ?? 0) : undefined,
    cacheRead: tokens(wire.cachedContentTokenCount),
    reasoning: thoughts,
    audioInput: ofModality(wire.promptTokensDetails, "AUDIO"),
    audioOutput: ofModality(wire.candidatesTokensDetails, "AUDIO"),
    imageInput: ofModality(wire.promptTokensDetails, "IMAGE"),
    imageOutput: ofModality(wire.candidatesTokensDetails, "IMAGE"),
    toolCalls: searches > 0 ? { "web-search": searches } : undefined,
    raw: value,
  });
}

export function encodeUsage(counted: Usage): Wire {
  const usage = withinTotals(counted);
  const thoughts = usage.reasoning ?? 0;
  return compact<Wire>({
    promptTokenCount: usage.input,
    candidatesTokenCount: Math.max(0, usage.output - thoughts),
    totalTokenCount: usage.input + usage.output,
    thoughtsTokenCount: thoughts > 0 ? thoughts : undefined,
    cachedContentTokenCount: usage.cacheRead,
    promptTokensDetails: encodeDetails(usage.input, usage.audioInput, usage.imageInput),
    candidatesTokensDetails: encodeDetails(usage.output - thoughts, usage.audioOutput, usage.imageOutput),
  });
}

/** Returns the details by modality, only where something other than text was read or generated. */
function encodeDetails(
  all: number,
  audio: number | undefined,
  image: number | undefined,
): Wire[] | undefined {
  if (audio === undefined && image === undefined) return undefined;
  const text = Math.max(0, all - (audio ?? 0) - (image ?? 0));
  return [
    { modality: "TEXT", tokenCount: text },
    ...(audio === undefined ? [] : [{ modality: "AUDIO", tokenCount: audio }]),
    ...(image === undefined ? [] : [{ modality: "IMAGE", tokenCount: image }]),
  ];
}
