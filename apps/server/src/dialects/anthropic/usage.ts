import type { Wire } from "#dialects/dialect.ts";
import type { Usage } from "#dialects/ir.ts";
import { gatewaySearch } from "#dialects/tools/search-forms.ts";
import { tierOf } from "#dialects/usage/service-tier.ts";
import { tokens, usageOf, withinTotals } from "#dialects/usage/tokens.ts";
import { asRecord, readAs } from "#dialects/wire.ts";
import { type AnthropicUsage, wireUsage } from "./schema.ts";

/** Calls of provider-run tools, by the API's name and by ours. */
const countedTools = {
  web_search_requests: "web-search",
  web_fetch_requests: "web-fetch",
  code_execution_requests: "code-execution",
} as const;

function decodeToolCalls(wire: AnthropicUsage): Record<string, number> | undefined {
  const counts: Record<string, number> = {};
  for (const [name, unified] of Object.entries(countedTools)) {
    const count = tokens(wire.server_tool_use?.[name]);
    if (count !== undefined && count > 0) counts[unified] = count;
  }
  return Object.keys(counts).length === 0 ? undefined : counts;
}

/**
 * Sampling iterations that are billed but not part of the totals: summaries
 * of the conversation, and advice of a second model.
 */
const besideTheSums = new Set<unknown>(["compaction", "advisor_message"]);

const summed = ["input", "output", "cacheRead", "cacheWrite5m", "cacheWrite1h"] as const;

function plus(usage: Usage, more: Usage): Usage {
  const sum = { ...usage };
  for (const kind of summed) if (more[kind]) sum[kind] = (usage[kind] ?? 0) + more[kind];
  return sum;
}

export function decodeUsage(value: unknown): Usage | undefined {
  const wire = readAs(wireUsage, value);
  const usage = wire === undefined ? undefined : decodeSums(wire, value);
  if (usage === undefined) return undefined;
  return (wire?.iterations ?? [])
    .filter((each) => besideTheSums.has(asRecord(each)?.["type"]))
    .reduce<Usage>((sum, each) => plus(sum, decodeUsage(each) ?? { input: 0, output: 0 }), usage);
}

/** Decodes the totals. `input_tokens` excludes cached tokens in this API; the IR counts all input. */
function decodeSums(wire: AnthropicUsage, value: unknown): Usage | undefined {
  const plain = tokens(wire.input_tokens);
  const cacheRead = tokens(wire.cache_read_input_tokens);
  const written = tokens(wire.cache_creation_input_tokens) ?? 0;
  const hour = tokens(wire.cache_creation?.ephemeral_1h_input_tokens);
  const minutes = tokens(wire.cache_creation?.ephemeral_5m_input_tokens);
  const cacheWrite1h = Math.min(hour ?? 0, written || (hour ?? 0));
  const cacheWrite5m = Math.max(written - cacheWrite1h, minutes ?? 0);
  // An invalid count is not zero: the input is unknown then.
  const isNone = plain === undefined && wire.input_tokens !== undefined && wire.input_tokens !== null;
  const isKnown = !isNone && (plain !== undefined || cacheRead !== undefined);
  const saysWrites = wire.cache_creation_input_tokens !== undefined || !!wire.cache_creation;
  return usageOf({
    input: isKnown ? (plain ?? 0) + (cacheRead ?? 0) + cacheWrite5m + cacheWrite1h : undefined,
    output: tokens(wire.output_tokens),
    cacheRead,
    cacheWrite5m: saysWrites ? cacheWrite5m : undefined,
    cacheWrite1h: saysWrites ? cacheWrite1h : undefined,
    reasoning: tokens(wire.output_tokens_details?.thinking_tokens),
    toolCalls: decodeToolCalls(wire),
    tier: tierOf(wire.speed === "fast" ? wire.speed : wire.service_tier),
    raw: value,
  });
}

/**
 * Merges the usage of a stream: the counts of the start, overwritten by the cumulative counts of each delta.
 * Empty values in a delta overwrite nothing, because some providers repeat only the output there.
 */
export function mergeUsage(start: unknown, delta: unknown): Wire | undefined {
  const merged: Wire = { ...asRecord(start) };
  for (const [key, value] of Object.entries(asRecord(delta) ?? {})) {
    // The output of a delta is cumulative, so 0 is valid there.
    const isSilent = value === 0 && merged[key] !== undefined && key !== "output_tokens";
    const isEmpty = value === null || value === undefined || isSilent;
    if (!isEmpty || !(key in merged)) merged[key] = value;
  }
  return Object.keys(merged).length === 0 ? undefined : merged;
}

/** Counts of a response so far, with every field that `message_delta` requires. */
export function encodeCounts(counted: Usage | undefined): Wire {
  const usage = counted && withinTotals(counted);
  const { input = 0, output = 0, cacheRead = 0, cacheWrite5m = 0, cacheWrite1h = 0 } = usage ?? {};
  const written = cacheWrite5m + cacheWrite1h;
  const searches = usage?.toolCalls?.["web-search"] ?? usage?.toolCalls?.[gatewaySearch];
  return {
    input_tokens: Math.max(0, input - cacheRead - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cacheRead,
    cache_creation: { ephemeral_5m_input_tokens: cacheWrite5m, ephemeral_1h_input_tokens: cacheWrite1h },
    output_tokens: output,
    output_tokens_details: usage?.reasoning === undefined ? null : { thinking_tokens: usage.reasoning },
    server_tool_use: searches === undefined ? null : { web_search_requests: searches, web_fetch_requests: 0 },
  };
}

/** Usage of a message. Other providers do not report the last three fields. */
export function encodeUsage(counted: Usage | undefined): Wire {
  return { ...encodeCounts(counted), service_tier: null, inference_geo: null, speed: null };
}
