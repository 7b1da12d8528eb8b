import type { Wire } from "#dialects/dialect.ts";
import type { Usage } from "#dialects/ir.ts";
import { outputWithReasoning, tokens, usageOf, withinTotals } from "#dialects/usage/tokens.ts";
import { compact, readAs } from "#dialects/wire.ts";
import { chatUsage } from "./schema.ts";

export function decodeUsage(value: unknown): Usage | undefined {
  const wire = readAs(chatUsage, value);
  if (wire === undefined) return undefined;
  const read = wire.prompt_tokens_details;
  const written = wire.completion_tokens_details;
  const input = tokens(wire.prompt_tokens);
  const reasoning = tokens(written?.reasoning_tokens) ?? tokens(wire.reasoning_tokens);
  const cacheWrite = tokens(read?.cache_write_tokens) ?? tokens(read?.cache_creation_input_tokens);
  const cacheWrite1h = Math.min(
    tokens(read?.cache_creation?.ephemeral_1h_input_tokens) ?? 0,
    cacheWrite ?? 0,
  );
  const searches =
    tokens((wire.server_tool_use_details ?? wire.server_tool_use)?.web_search_requests) ??
    tokens(wire.web_search_usage?.tool_usage) ??
    tokens(wire.search_count) ??
    0;
  // Providers use three different fields for the same count.
  const cacheRead =
    tokens(read?.cached_tokens) ?? tokens(wire.prompt_cache_hit_tokens) ?? tokens(wire.cached_tokens);
  const output = tokens(wire.completion_tokens);
  return usageOf({
    input,
    output: outputWithReasoning({ input, output, reasoning, cacheRead, total: tokens(wire.total_tokens) }),
    cacheRead,
    cacheWrite5m: cacheWrite === undefined ? undefined : cacheWrite - cacheWrite1h,
    cacheWrite1h: cacheWrite1h > 0 ? cacheWrite1h : undefined,
    reasoning,
    audioInput: tokens(read?.audio_tokens),
    audioOutput: tokens(written?.audio_tokens),
    imageInput: tokens(read?.image_tokens),
    imageOutput: tokens(written?.image_tokens),
    toolCalls: searches > 0 ? { "web-search": searches } : undefined,
    raw: value,
  });
}

/**
 * Returns the latest usage of a stream.
 * Cloudflare ends its streams with zeros after the usage; these are ignored.
 */
export function latestUsage(value: unknown, before: Usage | undefined): Usage | undefined {
  const usage = decodeUsage(value);
  return usage === undefined || usage.input + usage.output === 0 ? (before ?? usage) : usage;
}

export function encodeUsage(counted: Usage): Wire {
  const usage = withinTotals(counted);
  const cacheWrite = (usage.cacheWrite5m ?? 0) + (usage.cacheWrite1h ?? 0);
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: compact<Wire>({
      cached_tokens: usage.cacheRead ?? 0,
      cache_write_tokens: cacheWrite > 0 ? cacheWrite : undefined,
      audio_tokens: usage.audioInput ?? 0,
      image_tokens: usage.imageInput,
    }),
    completion_tokens_details: compact<Wire>({
      reasoning_tokens: usage.reasoning ?? 0,
      audio_tokens: usage.audioOutput ?? 0,
      image_tokens: usage.imageOutput,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    }),
  };
}
