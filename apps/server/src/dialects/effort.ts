import type { Reasoning } from "./ir.ts";

/** How hard a model should think, for wires that say it in words and wires that say it in tokens. */

export type Effort = NonNullable<Reasoning["effort"]>;

const efforts = new Set<string>(["none", "minimal", "low", "medium", "high", "xhigh", "max"]);
const summaries = new Set<string>(["auto", "concise", "detailed"]);

/** The effort that all dialects know by this word; a provider's own word is none. */
export function effortOf(word: string | null | undefined): Effort | undefined {
  return word && efforts.has(word) ? (word as Effort) : undefined;
}

export function summaryOf(word: string | null | undefined): Reasoning["summary"] {
  return word && summaries.has(word) ? (word as Reasoning["summary"]) : undefined;
}

/** Share of the output limit, in percent, that an effort may spend on thinking where a wire wants tokens. */
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

/** The word for a budget: nothing none, up to 2,048 low, up to 12,288 medium, above high. */
export function effortOfBudget(budgetTokens: number | undefined): Effort | undefined {
  if (budgetTokens === undefined) return undefined;
  if (budgetTokens === 0) return "none";
  if (budgetTokens <= 2048) return "low";
  return budgetTokens <= 12_288 ? "medium" : "high";
}

const byStrength: readonly Effort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/**
 * Of the efforts that a model knows, the one that comes nearest; of two as near, the weaker, which costs less. Only "none"
 * is no thinking. Undefined for none known.
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
