import type { Wire } from "#dialects/dialect.ts";
import type { Usage } from "#dialects/ir.ts";
import { tokens, usageOf } from "#dialects/tokens.ts";
import { compact, readAs } from "#dialects/wire.ts";
import { wireUsage } from "./schema.ts";

/** Output items that the vendor bills by call, by the wire's name and by ours. */
const countedCalls: Record<string, string> = {
  web_search_call: "web-search",
  code_interpreter_call: "code-execution",
  file_search_call: "file-search",
  image_generation_call: "image-generation",
};

export function countCall(counts: Record<string, number>, type: string): void {
  const name = countedCalls[type];
  if (name !== undefined) counts[name] = (counts[name] ?? 0) + 1;
}

/** `calls` are those that were counted in the output; the vendor's own object does not name them. */
export function decodeUsage(value: unknown, calls: Record<string, number>): Usage | undefined {
  const wire = readAs(wireUsage, value);
  if (wire === undefined) return undefined;
  return usageOf({
    input: tokens(wire.input_tokens),
    output: tokens(wire.output_tokens),
    cacheRead: tokens(wire.input_tokens_details?.cached_tokens),
    cacheWrite5m: tokens(wire.input_tokens_details?.cache_write_tokens),
    reasoning: tokens(wire.output_tokens_details?.reasoning_tokens),
    toolCalls: Object.keys(calls).length === 0 ? undefined : calls,
    raw: value,
  });
}

export function encodeUsage(usage: Usage): Wire {
  const cacheWrite = (usage.cacheWrite5m ?? 0) + (usage.cacheWrite1h ?? 0);
  return {
    input_tokens: usage.input,
    input_tokens_details: compact<Wire>({
      cached_tokens: usage.cacheRead ?? 0,
      cache_write_tokens: cacheWrite > 0 ? cacheWrite : undefined,
    }),
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    total_tokens: usage.input + usage.output,
  };
}
