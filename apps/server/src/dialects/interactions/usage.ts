import type { Wire } from "#dialects/dialect.ts";
import type { Usage } from "#dialects/ir.ts";
import { withinTotals } from "#dialects/usage/tokens.ts";
import { compact } from "#dialects/wire.ts";

/** Encodes the usage. In this format, thoughts are not part of the output. */
export function encodeUsage(counted: Usage): Wire {
  const usage = withinTotals(counted);
  const thoughts = usage.reasoning ?? 0;
  const output = Math.max(0, usage.output - thoughts);
  const searches = usage.toolCalls?.["web-search"] ?? 0;
  return compact<Wire>({
    total_input_tokens: usage.input,
    total_output_tokens: output,
    total_thought_tokens: thoughts,
    total_cached_tokens: usage.cacheRead ?? 0,
    total_tool_use_tokens: 0,
    total_tokens: usage.input + usage.output,
    input_tokens_by_modality: byModality(usage.input, usage.audioInput, usage.imageInput),
    output_tokens_by_modality: byModality(output, usage.audioOutput, usage.imageOutput),
    grounding_tool_count: searches > 0 ? [{ type: "google_search", count: searches }] : undefined,
  });
}

function byModality(all: number, audio = 0, image = 0): Wire[] {
  const counts = { text: Math.max(0, all - audio - image), audio, image };
  return Object.entries(counts)
    .filter(([modality, tokens]) => tokens > 0 || modality === "text")
    .map(([modality, tokens]) => ({ modality, tokens }));
}
