import type { z } from "zod";
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

/** The same in the words of vendors that count their calls in the usage. */
const reportedCalls: Record<string, string> = { search_web: "web-search" };

export function countCall(counts: Record<string, number>, type: string): void {
  const name = countedCalls[type];
  if (name !== undefined) counts[name] = (counts[name] ?? 0) + 1;
}

function toolCalls(
  counted: Record<string, number>,
  reported: z.infer<typeof wireUsage>["tool_calls_details"],
): Record<string, number> | undefined {
  const told = Object.entries(reported ?? {}).flatMap<[string, number]>(([name, { invocation }]) => {
    const count = tokens(invocation) ?? 0;
    return count > 0 ? [[reportedCalls[name] ?? name, count]] : [];
  });
  const all = { ...counted, ...Object.fromEntries(told) };
  return Object.keys(all).length === 0 ? undefined : all;
}

/** `calls` are those that were counted in the output, which most vendors' own object does not name. */
export function decodeUsage(value: unknown, calls: Record<string, number>): Usage | undefined {
  const wire = readAs(wireUsage, value);
  if (wire === undefined) return undefined;
  const read = wire.input_tokens_details;
  return usageOf({
    input: tokens(wire.input_tokens),
    output: tokens(wire.output_tokens),
    cacheRead: tokens(read?.cached_tokens),
    cacheWrite5m: tokens(read?.cache_write_tokens) ?? tokens(read?.cache_creation_input_tokens),
    reasoning: tokens(wire.output_tokens_details?.reasoning_tokens),
    toolCalls: toolCalls(calls, wire.tool_calls_details),
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
