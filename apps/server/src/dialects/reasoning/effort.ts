/** Reasoning effort, for formats that use words and formats that use tokens. */
import type { Reasoning } from "#dialects/ir.ts";

export type Effort = NonNullable<Reasoning["effort"]>;

const byStrength: readonly Effort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
const efforts = new Set<string>(byStrength);
const summaries = new Set<string>(["auto", "concise", "detailed"]);

/** Returns the effort if it is a word that all dialects share, not a provider's own word. */
export function effortOf(word: string | null | undefined): Effort | undefined {
  return word && efforts.has(word) ? (word as Effort) : undefined;
}

export function summaryOf(word: string | null | undefined): Reasoning["summary"] {
  return word && summaries.has(word) ? (word as Reasoning["summary"]) : undefined;
}

/** Share of the output limit, in percent, for thinking at each effort, in formats that use tokens. */
const shareOfOutput: Record<Effort, number> = {
  none: 0,
  minimal: 10,
  low: 20,
  medium: 50,
  high: 80,
  xhigh: 90,
  max: 95,
};

export function budgetOfEffort(effort: Effort, outputTokens: number): number {
  return Math.floor((outputTokens * shareOfOutput[effort]) / 100);
}

/** Returns the effort for a budget: 0 is none, up to 2,048 is low, up to 12,288 is medium, above is high. */
export function effortOfBudget(budgetTokens: number | undefined): Effort | undefined {
  if (budgetTokens === undefined) return undefined;
  if (budgetTokens === 0) return "none";
  if (budgetTokens <= 2048) return "low";
  return budgetTokens <= 12_288 ? "medium" : "high";
}

/**
 * Returns the nearest effort that a model accepts. Of two equally near ones it returns the lower, which costs
 * less. "none" is returned only when it was requested. Returns undefined when the list has no other effort.
 */
export function nearestEffort(wished: Effort, known: readonly Effort[]): Effort | undefined {
  if (known.includes(wished)) return wished;
  const place = byStrength.indexOf(wished);
  const distance = (effort: Effort) => Math.abs(byStrength.indexOf(effort) - place);
  const ranked = known
    .filter((effort) => effort !== "none")
    .toSorted(
      (one, other) => distance(one) - distance(other) || byStrength.indexOf(one) - byStrength.indexOf(other),
    );
  return ranked[0];
}
