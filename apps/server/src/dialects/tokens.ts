import type { Usage } from "./ir.ts";
import { compact } from "./wire.ts";

/** Counts that came from outside: what is not a whole number of tokens in a sane range was not said. */

const most = 1_000_000_000;

export function tokens(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= most
    ? value
    : undefined;
}

/** Usage from counts, or undefined when a vendor named neither input nor output. Shares of nothing are left out. */
export function usageOf(
  counts: { [K in keyof Usage]?: Usage[K] | undefined } & { raw: unknown },
): Usage | undefined {
  const missing = (["input", "output"] as const).filter((kind) => counts[kind] === undefined);
  if (missing.length === 2) return undefined;
  const usage = compact<Usage>({ ...counts, input: counts.input ?? 0, output: counts.output ?? 0 });
  return missing.length === 0 ? usage : { ...usage, missing };
}
