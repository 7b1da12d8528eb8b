import type { Usage } from "#dialects/ir.ts";

const counts = [
  "cacheRead",
  "cacheWrite5m",
  "cacheWrite1h",
  "reasoning",
  "audioInput",
  "audioOutput",
  "imageInput",
  "imageOutput",
] as const;

/** Returns the usage of two requests of one call. The provider's own objects are left out, the later tier is kept. */
export function sumUsage(first: Usage, second: Usage): Usage {
  const { tier = first.tier } = second;
  const sum: Usage = { input: first.input + second.input, output: first.output + second.output };
  for (const kind of counts) {
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
