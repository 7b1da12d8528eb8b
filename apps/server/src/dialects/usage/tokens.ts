/**
 * Validates counts from outside: ignores a value that is not a whole number of tokens in a plausible range.
 */
import type { Usage } from "#dialects/ir.ts";
import { compact } from "#dialects/wire.ts";

const most = 1_000_000_000;

export function tokens(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= most
    ? value
    : undefined;
}

/**
 * Returns usage from counts, or undefined when the provider reported neither input nor output. Counts of zero
 * for parts of the totals are omitted.
 */
export function usageOf(
  counts: { [K in keyof Usage]?: Usage[K] | undefined } & { raw: unknown },
): Usage | undefined {
  const missing = (["input", "output"] as const).filter((kind) => counts[kind] === undefined);
  if (missing.length === 2) return undefined;
  const usage = compact<Usage>({ ...counts, input: counts.input ?? 0, output: counts.output ?? 0 });
  return missing.length === 0 ? usage : { ...usage, missing };
}

interface WrittenCounts {
  input: number | undefined;
  output: number | undefined;
  reasoning: number | undefined;
  cacheRead: number | undefined;
  total: number | undefined;
}

/**
 * Returns the output with its reasoning. Most providers include reasoning in the output. Of one that does not, the
 * total is larger than input and output together, also where it does not report the reasoning itself. Without a
 * total, only reasoning that exceeds the output shows it.
 */
export function outputWithReasoning(counts: WrittenCounts): number | undefined {
  const { input = 0, output, reasoning = 0, cacheRead = 0, total = 0 } = counts;
  if (output === undefined) return undefined;
  if (total === 0) return reasoning > output ? output + reasoning : output;
  const more = Math.max(0, total - input - output);
  // Some providers add tokens from the cache to the total only.
  return output + (reasoning > 0 || cacheRead > 0 ? Math.min(more, reasoning) : more);
}

/** Limits a part to the rest of its total; some providers count the same tokens as read and as written. */
function within(part: number | undefined, left: number): number | undefined {
  return part === undefined ? undefined : Math.min(part, Math.max(0, left));
}

/** Returns usage for a client: no part exceeds its total. Billing uses the provider's counts. */
export function withinTotals(usage: Usage): Usage {
  const { input, output } = usage;
  const cacheRead = within(usage.cacheRead, input);
  const left = input - (cacheRead ?? 0);
  const cacheWrite1h = within(usage.cacheWrite1h, left);
  return compact<Usage>({
    ...usage,
    cacheRead,
    cacheWrite1h,
    cacheWrite5m: within(usage.cacheWrite5m, left - (cacheWrite1h ?? 0)),
    reasoning: within(usage.reasoning, output),
    audioInput: within(usage.audioInput, input),
    imageInput: within(usage.imageInput, input - (usage.audioInput ?? 0)),
    audioOutput: within(usage.audioOutput, output),
    imageOutput: within(usage.imageOutput, output - (usage.audioOutput ?? 0)),
  });
}

/** Counts that are part of a total, or separate from it. */
export const usageParts = [
  "cacheRead",
  "cacheWrite5m",
  "cacheWrite1h",
  "reasoning",
  "audioInput",
  "audioOutput",
  "imageInput",
  "imageOutput",
] as const;

/** All counts of tokens. */
export const usageCounts = ["input", "output", ...usageParts] as const;

/** Returns the usage of two requests of one call. The provider's own objects are left out, the later tier is kept. */
export function sumUsage(first: Usage, second: Usage): Usage {
  const { tier = first.tier } = second;
  const sum: Usage = { input: first.input + second.input, output: first.output + second.output };
  for (const kind of usageParts) {
    const tokens = (first[kind] ?? 0) + (second[kind] ?? 0);
    if (first[kind] !== undefined || second[kind] !== undefined) sum[kind] = tokens;
  }
  const missing = [...new Set([...(first.missing ?? []), ...(second.missing ?? [])])];
  if (missing.length > 0) sum.missing = missing;
  const names = new Set([...Object.keys(first.toolCalls ?? {}), ...Object.keys(second.toolCalls ?? {})]);
  if (names.size > 0)
    sum.toolCalls = Object.fromEntries(
      [...names].map((name) => [name, (first.toolCalls?.[name] ?? 0) + (second.toolCalls?.[name] ?? 0)]),
    );
  if (tier !== undefined) sum.tier = tier;
  return sum;
}
