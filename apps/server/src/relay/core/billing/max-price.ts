import { formatQuota } from "@gateway/shared/billing/money";
import { GatewayError } from "#errors.ts";
import type { PlannedCall } from "#relay/core/call.ts";
import type { RelayServices } from "#relay/core/services.ts";

/**
 * Throws `max_price_exceeded` for a call that can cost more than its client allows. The amount is the one that is
 * reserved: there is no other rule for the most that a call can cost.
 */
export function requirePrice(
  { settings }: Pick<RelayServices, "settings">,
  { received: { maxPrice, books = "charge" }, plan: { worstCase } }: PlannedCall,
): void {
  if (maxPrice === undefined || books !== "charge" || worstCase <= maxPrice) return;
  const { QuotaPerUnit: pointsPerUsd } = settings.current();
  const dollars = (points: bigint) =>
    formatQuota(Number(points), { inCurrency: true, digits: 6, pointsPerUsd });
  throw new GatewayError("max_price_exceeded", {
    reason: "price_above_maximum",
    price: dollars(worstCase),
    limit: dollars(maxPrice),
  });
}
