/**
 * Reserves calls. What is not reserved must not be produced: a request without an output limit is reserved with
 * the longest response of its model. Where the balance or a budget does not cover that, less is reserved and
 * sent as the limit.
 */
import type { SessionShare } from "#domain/ledger/batches/operations.ts";
import { cheaperModels } from "#domain/settings/model-lists.ts";
import { GatewayError, insufficientQuota } from "#errors.ts";
import type { PlannedCall, ReceivedCall } from "#relay/core/call.ts";
import { replanCall } from "#relay/core/routing/plan.ts";
import type { RelayServices } from "#relay/core/services.ts";
import type { CallBill } from "./call-bill.ts";

/** Errors after which a smaller amount may be covered. */
const tooLittle: ReadonlySet<string> = new Set([
  "insufficient_quota",
  "budget_exceeded",
  "token_quota_exhausted",
  "spend_limit_reached",
  "session_budget_exhausted",
  "max_price_exceeded",
]);
const reservedByOthers: ReadonlySet<string> = new Set(["session_budget_reserved", "derived_key_reserved"]);

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
    next = replanCall(services, planned, { outputLimit });
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
  return tooLittle.has(error.code) || reservedByOthers.has(String(error.params["reason"]));
}

/**
 * Reserves a call of a session with a budget, and returns it with its plan. From a share of the budget on, and when
 * it does not cover the call, the plan is for the cheaper model that the operator configured. Throws the ledger's
 * errors.
 */
export async function reserveInSession<Received extends ReceivedCall>(
  services: RelayServices,
  bill: CallBill,
  given: PlannedCall<Received>,
): Promise<PlannedCall<Received>> {
  const { SessionFallbackPercent: percent } = services.settings.current();
  const { share, used } = await openShare(services, given.received, given.plan.worstCase);
  const planned = share === undefined ? given : { ...given, sessionShare: share };
  const { limit } = given.received.sessionBudget ?? { limit: 0n };
  const isDue = percent > 0 && used * 100n >= limit * BigInt(percent);
  const first = (isDue ? cheaperCall(services, planned) : undefined) ?? planned;
  try {
    return await reserveCall(services, bill, first);
  } catch (error) {
    const isSpent = error instanceof GatewayError && error.code === "session_budget_exhausted";
    const cheaper = isSpent && first === planned ? cheaperCall(services, planned) : undefined;
    if (cheaper === undefined) throw error;
    return reserveCall(services, bill, cheaper);
  }
}

/**
 * Adds the call to its session, and sends the client what is left of the budget. Returns the call's part of the
 * session, and the points that the session has spent and reserved. Throws `insufficient_quota` for a call of an
 * account without a balance, before anything is stored, unless the call is free.
 * @param amount points that the call may cost
 */
export async function openShare(
  { ledger, settings }: RelayServices,
  { caller, sessionBudget: budget }: ReceivedCall,
  amount: bigint,
): Promise<{ share: SessionShare | undefined; used: bigint }> {
  if (budget === undefined) return { share: undefined, used: 0n };
  const state = await ledger.openSession(caller.userId, budget.session);
  if (state === undefined && amount > 0n) throw insufficientQuota();
  const { spent, reserved } = state ?? { spent: 0n, reserved: 0n };
  const perUsd = settings.current().QuotaPerUnit;
  budget.note?.({
    "x-session-budget-limit": dollars(budget.limit, perUsd),
    "x-session-budget-remaining": dollars(budget.limit - spent, perUsd),
  });
  const share = state === undefined ? undefined : { id: state.id, limit: budget.limit };
  return { share, used: spent + reserved };
}

/**
 * Returns the call with a cheaper model. Undefined without one that this key may use and a channel serves.
 */
function cheaperCall<Received extends ReceivedCall>(
  services: RelayServices,
  planned: PlannedCall<Received>,
): PlannedCall<Received> | undefined {
  const model = cheaperModels(services.settings).get(planned.model);
  if (model === undefined || planned.plan.only !== undefined) return undefined;
  try {
    const cheaper = replanCall(services, planned, { model });
    planned.received.sessionBudget?.note?.({ "x-session-budget-model": model });
    return cheaper;
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

/** Formats points as a decimal amount in US dollars, at least 0. */
function dollars(points: bigint, perUsd: number): string {
  return (Math.max(0, Number(points)) / perUsd).toFixed(6);
}
