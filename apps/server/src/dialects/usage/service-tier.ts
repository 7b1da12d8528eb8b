/** Service tiers as providers name them; undefined for one without an equivalent. Pure. */
import { lookupTable } from "@gateway/shared/lookup-table";
import type { ChatResponse, Usage } from "#dialects/ir.ts";
import { lastText } from "./tally.ts";

const tierName = /^[a-z][a-z_-]{0,31}$/;

/** Normalizes a tier from outside to the name used in prices; a value that is not a valid name is ignored. */
export function tierOf(value: unknown): string | undefined {
  const name = typeof value === "string" ? value.toLowerCase().replace(/^service_tier_/, "") : "";
  return tierName.test(name) ? name : undefined;
}

/** Returns the tier that a response names beside its usage. */
export function tierIn(json: string): string | undefined {
  return tierOf(lastText(json, 'service_tier"'));
}

/** Tiers that cost no more than the standard price, or whose price is set by the provider account. */
const plainTiers = new Set(["auto", "default", "standard", "standard_only", "flex", "batch", "on_demand"]);

/** Request fields that select a tier, in the formats that have them. */
const tierFields = ["service_tier", "serviceTier"];

/**
 * Returns the names of the fields that request a tier which costs more than the standard one and has no
 * price.
 * @param isPriced whether the price names this tier
 */
export function unpricedTiers(
  body: Readonly<Record<string, unknown>>,
  isPriced: (tier: string) => boolean,
): string[] {
  const fields = body["speed"] === "fast" ? [...tierFields, "speed"] : tierFields;
  return fields.filter((field) => {
    const value = body[field];
    if (value === undefined || value === null) return false;
    const tier = tierOf(value);
    return tier === undefined || !(plainTiers.has(tier) || isPriced(tier));
  });
}

export function withTier(usage: Usage | undefined, tier: string | undefined): Usage | undefined {
  return usage === undefined || tier === undefined ? usage : { ...usage, tier };
}

/** Returns the usage that bills a decoded response, with the tier named in the usage or beside it. */
export function billedUsage(answer: Pick<ChatResponse, "usage" | "serviceTier">): Usage | undefined {
  return withTier(answer.usage, answer.usage?.tier ?? tierOf(answer.serviceTier));
}

const openai = new Set(["auto", "default", "flex", "scale", "priority", "fast", "ultrafast"]);
const ofAnthropic = lookupTable<string>({ standard_only: "default", standard: "default" });

export function openaiTier(tier: string | undefined): string | undefined {
  if (tier === undefined || openai.has(tier)) return tier;
  return ofAnthropic[tier];
}

export function anthropicTier(tier: string | undefined): string | undefined {
  if (tier === "default" || tier === "standard") return "standard_only";
  return tier === "auto" || tier === "standard_only" ? tier : undefined;
}

const ofGemini = lookupTable<string>({
  flex: "flex",
  priority: "priority",
  default: "standard",
  standard: "standard",
});

export function geminiTier(tier: string | undefined): string | undefined {
  return tier === undefined ? undefined : ofGemini[tier];
}
