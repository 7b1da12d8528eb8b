import type { RedemptionRow } from "@gateway/shared/billing/redemption";
import { RedemptionStatus } from "@gateway/shared/billing/redemption-status";
import { phrasesIn } from "#lib/i18n.ts";
import type { Tone } from "#ui/status-dot.tsx";

const phrase = phrasesIn("redemptions");

/** Returns the label and tone of a code's current status. */
export function statusOfCode(row: RedemptionRow, nowMs = Date.now()): { word: string; tone: Tone } {
  if (row.status === RedemptionStatus.used) return { word: phrase("Redeemed"), tone: "accent" };
  if (row.status === RedemptionStatus.disabled) return { word: phrase("Disabled"), tone: "idle" };
  if (row.expires_at !== null && row.expires_at * 1000 <= nowMs)
    return { word: phrase("Expired"), tone: "warn" };
  return { word: phrase("Not redeemed"), tone: "good" };
}
