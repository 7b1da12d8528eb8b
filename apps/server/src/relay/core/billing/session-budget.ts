import { aliasesIn } from "@gateway/shared/models/model-alias";
import { GatewayError, insufficientQuota } from "#errors.ts";
import type { ReceivedCall } from "#relay/core/call.ts";
import { makePlan, type Plan, requireModel } from "#relay/core/routing/plan.ts";
import type { RelayServices } from "#relay/core/services.ts";
import { type InputOf, reserveCall } from "./reserve.ts";

/**
 * Reserves calls of sessions with a budget. From a share of the budget on, and when it does not cover a call,
 * the call uses the cheaper model that the operator configured.
 */

/**
 * Reserves the call and returns its plan, which may be for a cheaper model. Throws the ledger's errors.
 * @param inputOf returns what to reserve
 */
export async function reserveInSession(
  services: RelayServices,
  call: ReceivedCall,
  plan: Plan,
  inputOf: InputOf,
): Promise<Plan> {
  const { SessionFallbackPercent: percent } = services.settings.current();
  const used = await openShare(services, call, plan.worstCase);
  const { limit } = call.sessionBudget ?? { limit: 0n };
  const isDue = percent > 0 && used * 100n >= limit * BigInt(percent);
  const chosen = (isDue ? cheaperPlan(services, call, plan) : undefined) ?? plan;
  try {
    return await reserveCall(services, call, chosen, inputOf);
  } catch (error) {
    const isSpent = error instanceof GatewayError && error.code === "session_budget_exhausted";
    const cheaper = isSpent && chosen === plan ? cheaperPlan(services, call, plan) : undefined;
    if (cheaper === undefined) throw error;
    return reserveCall(services, call, cheaper, inputOf);
  }
}

/**
 * Adds the call to its session, and sends the client what is left of the budget. Returns the points that the
 * session has spent and reserved. Throws `insufficient_quota` for a call of an account without a balance, before
 * anything is stored, unless the call is free.
 * @param amount points that the call may cost
 */
export async function openShare(
  { ledger, settings }: RelayServices,
  call: ReceivedCall,
  amount: bigint,
): Promise<bigint> {
  const budget = call.sessionBudget;
  if (budget === undefined) return 0n;
  const state = await ledger.openSession(call.caller.userId, budget.session);
  if (state === undefined && amount > 0n) throw insufficientQuota();
  const { spent, reserved } = state ?? { spent: 0n, reserved: 0n };
  if (state !== undefined) budget.share = { id: state.id, limit: budget.limit };
  const perUsd = settings.current().QuotaPerUnit;
  budget.note?.({
    "x-session-budget-limit": dollars(budget.limit, perUsd),
    "x-session-budget-remaining": dollars(budget.limit - spent, perUsd),
  });
  return spent + reserved;
}

/** Changes the call to the cheaper model. Undefined without one that this key may use and a channel serves. */
function cheaperPlan(services: RelayServices, call: ReceivedCall, { only }: Plan): Plan | undefined {
  const model = cheaperModels(services).get(call.model);
  if (model === undefined || only !== undefined) return undefined;
  const before = call.model;
  call.model = model;
  try {
    requireModel(call);
    const plan = makePlan(services, call);
    call.estimate = plan.estimate;
    call.sessionBudget?.note?.({ "x-session-budget-model": model });
    return plan;
  } catch (error) {
    call.model = before;
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

/** The cheaper models, parsed once per text of the setting. */
let parsed: { text: string; models: ReadonlyMap<string, string> } = { text: "", models: new Map() };

function cheaperModels({ settings }: RelayServices): ReadonlyMap<string, string> {
  const { SessionFallbackModels: text } = settings.current();
  if (text !== parsed.text) parsed = { text, models: aliasesIn(text) };
  return parsed.models;
}

/** Formats points as a decimal amount in US dollars, at least 0. */
function dollars(points: bigint, perUsd: number): string {
  return (Math.max(0, Number(points)) / perUsd).toFixed(6);
}
