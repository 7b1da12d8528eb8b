import { GatewayError } from "#errors.ts";
import type { PlannedCall, ReceivedCall } from "#relay/core/call.ts";
import { planAgain } from "#relay/core/routing/plan.ts";
import type { RelayServices } from "#relay/core/services.ts";
import type { CallBill } from "./call-bill.ts";

/**
 * Reserves calls. What is not reserved must not be produced: a request without an output limit is reserved with
 * the longest response of its model. Where the balance or a budget does not cover that, less is reserved and
 * sent as the limit.
 */

/** Errors after which a smaller amount may be covered. */
const tooLittle: ReadonlySet<string> = new Set([
  "insufficient_quota",
  "budget_exceeded",
  "token_quota_exhausted",
  "spend_limit_reached",
  "session_budget_exhausted",
]);

/**
 * Reserves the call and returns it with its plan, which may have an output limit to add to the request. Throws the
 * ledger's errors.
 */
export async function reserveCall<Received extends ReceivedCall>(
  services: RelayServices,
  bill: CallBill,
  planned: PlannedCall<Received>,
): Promise<PlannedCall<Received>> {
  let next = planned;
  for (const outputLimit of limitsBelow(planned)) {
    try {
      await bill.reserve(next, false);
      return next;
    } catch (error) {
      if (!isTooLittle(error)) throw error;
    }
    next = planAgain(services, planned, { outputLimit });
  }
  await bill.reserve(next);
  return next;
}

/** A quarter of the longest response is tried before a usual one. */
const SHARE_OF_LONGEST = 4;

/** Returns the output limits to try where the balance does not cover the longest response, largest first. */
function limitsBelow({ received, plan }: PlannedCall): number[] {
  const { open } = plan.estimate;
  if (open === undefined || received.canLimitOutput !== true) return [];
  const { each, usual } = open;
  const long = Math.floor(each / SHARE_OF_LONGEST);
  const limits = long > usual ? [long, usual] : [usual];
  return limits.filter((tokens) => tokens < each);
}

function isTooLittle(error: unknown): boolean {
  if (!(error instanceof GatewayError)) return false;
  return tooLittle.has(error.code) || error.params["reason"] === "session_budget_reserved";
}
