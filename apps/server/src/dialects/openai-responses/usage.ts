import { lookupTable } from "@gateway/shared/lookup-table";
import type { Wire } from "#dialects/dialect.ts";
import type { Usage } from "#dialects/ir.ts";
import { outputWithReasoning, tokens, usageOf, withinTotals } from "#dialects/usage/tokens.ts";
import { readAs } from "#dialects/wire.ts";
import { type ResponsesUsage, wireUsage } from "./schema.ts";

/** Output items that the provider bills per call, by the API's name and by ours. */
const countedCalls = lookupTable<string>({
  web_search_call: "web-search",
  code_interpreter_call: "code-execution",
  file_search_call: "file-search",
  image_generation_call: "image-generation",
  x_search_call: "x-search",
});

/** The same for providers that report these calls in the usage. */
const reportedCalls = lookupTable<string>({
  search_web: "web-search",
  web_search_calls: "web-search",
  x_search_calls: "x-search",
  code_interpreter_calls: "code-execution",
  file_search_calls: "file-search",
  image_generation_calls: "image-generation",
});

export function countCall(counts: Record<string, number>, type: string): void {
  const name = countedCalls[type];
  if (name !== undefined) counts[name] = (counts[name] ?? 0) + 1;
}

/** Maximum number of tools in a usage, each of which becomes a line of the bill. */
const mostTools = 20;
const toolName = /^\w{1,60}$/;

function readToolCalls(reported: Record<string, unknown>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [name, value] of Object.entries(reported).slice(0, mostTools)) {
    const count = tokens(value) ?? 0;
    if (count > 0 && toolName.test(name)) counts[reportedCalls[name] ?? name] = count;
  }
  return counts;
}

/**
 * Returns the billed calls. xAI bills the calls that it reports, but outputs more:
 * failed calls, and image views as searches.
 */
function toolCalls(
  counted: Record<string, number>,
  wire: ResponsesUsage,
): Record<string, number> | undefined {
  const { server_side_tool_usage_details: billed, tool_calls_details: reported } = wire;
  const invocations = Object.entries(reported ?? {}).map(([name, { invocation }]) => [name, invocation]);
  const all = billed
    ? readToolCalls(billed)
    : { ...counted, ...readToolCalls(Object.fromEntries(invocations)) };
  return Object.keys(all).length === 0 ? undefined : all;
}

/**
 * Decodes the usage. `calls` are counted from the output items, because the
 * usage of most providers does not contain them.
 */
export function decodeUsage(value: unknown, calls: Record<string, number>): Usage | undefined {
  const wire = readAs(wireUsage, value);
  if (wire === undefined) return undefined;
  const read = wire.input_tokens_details;
  const input = tokens(wire.input_tokens);
  const cacheRead = tokens(read?.cached_tokens);
  const reasoning = tokens(wire.output_tokens_details?.reasoning_tokens);
  const output = tokens(wire.output_tokens);
  return usageOf({
    input,
    output: outputWithReasoning({ input, output, reasoning, cacheRead, total: tokens(wire.total_tokens) }),
    cacheRead,
    cacheWrite5m: tokens(read?.cache_write_tokens) ?? tokens(read?.cache_creation_input_tokens),
    reasoning,
    toolCalls: toolCalls(calls, wire),
    raw: value,
  });
}

export function encodeUsage(counted: Usage): Wire {
  const usage = withinTotals(counted);
  const cacheWrite = (usage.cacheWrite5m ?? 0) + (usage.cacheWrite1h ?? 0);
  return {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cacheRead ?? 0, cache_write_tokens: cacheWrite },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    total_tokens: usage.input + usage.output,
  };
}
