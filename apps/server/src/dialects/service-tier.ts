/** Service tiers as two vendors name them; undefined for one that the other has no word for. Pure. */

const openai = new Set(["auto", "default", "flex", "scale", "priority", "fast"]);
const ofAnthropic: Readonly<Record<string, string>> = { standard_only: "default", standard: "default" };

export function openaiTier(tier: string | undefined): string | undefined {
  if (tier === undefined || openai.has(tier)) return tier;
  return ofAnthropic[tier];
}

export function anthropicTier(tier: string | undefined): string | undefined {
  if (tier === "default" || tier === "standard") return "standard_only";
  return tier === "auto" || tier === "standard_only" ? tier : undefined;
}
