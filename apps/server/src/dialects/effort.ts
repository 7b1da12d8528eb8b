import type { Reasoning } from "./ir.ts";

/** How hard a model should think, for wires that say it in words and wires that say it in tokens. */

type Effort = NonNullable<Reasoning["effort"]>;

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
