import type { ReserveInput } from "#domain/ledger/batches/operations.ts";
import { GatewayError } from "#errors.ts";
import type { ReceivedCall } from "#relay/core/call.ts";
import { makePlan, type Plan } from "#relay/core/routing/plan.ts";
import type { RelayServices } from "#relay/core/services.ts";

/**
 * Reserves calls. What is not reserved must not be produced: a request without an output limit is reserved with
 * the longest response of its model. Where the balance or a budget does not cover that, less is reserved and
 * sent as the limit.
 */

export type InputOf = (call: ReceivedCall, plan: Plan) => ReserveInput;

/** Errors after which a smaller amount may be covered. */
const tooLittle: ReadonlySet<string> = new Set([
  "insufficient_quota",
  "budget_exceeded",
  "token_quota_exhausted",
  "spend_limit_reached",
  "session_budget_exhausted",
]);

/**
 * Reserves the call and returns its plan, which may have an output limit to add to the request. Throws the
 * ledger's errors.
 */
export async function reserveCall(
  services: RelayServices,
  call: ReceivedCall,
  plan: Plan,
  inputOf: InputOf,
): Promise<Plan> {
  let next = plan;
  for (const limit of limitsBelow(plan, call)) {
    try {
      await services.ledger.reserve({ ...inputOf(call, next), isPatient: false });
      return next;
    } catch (error) {
      if (!isTooLittle(error)) throw error;
    }
    next = makePlan(services, call, limit);
  }
  await services.ledger.reserve(inputOf(call, next));
  return next;
}

/** A quarter of the longest response is tried before a usual one. */
const SHARE_OF_LONGEST = 4;

/** Returns the output limits to try where the balance does not cover the longest response, largest first. */
function limitsBelow({ estimate: { open } }: Plan, { limit }: ReceivedCall): number[] {
  if (open === undefined || limit === undefined) return [];
  const { each, usual } = open;
  const long = Math.floor(each / SHARE_OF_LONGEST);
  const limits = long > usual ? [long, usual] : [usual];
  return limits.filter((tokens) => tokens < each);
}

function isTooLittle(error: unknown): boolean {
  if (!(error instanceof GatewayError)) return false;
  return tooLittle.has(error.code) || error.params["reason"] === "session_budget_reserved";
}
