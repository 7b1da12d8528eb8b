import { pointsOf } from "@gateway/shared/billing/money";
import type { FastifyRequest } from "fastify";
import { type Caller, lowest } from "#domain/tokens/callers.ts";
import { invalidRequest } from "#errors.ts";
import type { GatewayServices } from "#gateway/services.ts";
import type { SessionBudget } from "#relay/core/call.ts";

/** The budget of an agent's session: the lowest of the token's, the operator's and the client's limit. */

const header = "x-session-budget";
const amount = /^\d{1,7}(?:\.\d{1,6})?$/;

/**
 * Returns the budget of a call's session; undefined without a limit, or without a session. Throws
 * `invalid_request` for a header that is no amount, or that names no session.
 * @param session returns the session of the call
 */
export function sessionBudgetOf(
  { relay }: Pick<GatewayServices, "relay">,
  request: FastifyRequest,
  caller: Caller,
  session: () => string | undefined,
): SessionBudget | undefined {
  const requested = request.headers[header];
  const account = caller.accountSessionSpend ?? relay.groups.get(caller.userGroup)?.sessionSpend ?? 0;
  const operators = lowest(caller.sessionSpend, account);
  if (operators === 0 && requested === undefined) return undefined;
  const own =
    requested === undefined ? undefined : pointsIn(requested, relay.settings.current().QuotaPerUnit);
  const name = session();
  if (name === undefined) {
    if (own === undefined) return undefined;
    throw invalidRequest({ reason: "session_budget_unnamed" }, { param: header });
  }
  const limit = own === undefined ? operators : operators === 0 ? own : Math.min(own, operators);
  return {
    session: name,
    limit: BigInt(limit),
    // Sent with the response, also with an error.
    note: (headers) => void Object.assign(request.head, headers),
  };
}

function pointsIn(text: string | string[], perUsd: number): number {
  if (typeof text !== "string" || !amount.test(text.trim()))
    throw invalidRequest({ reason: "session_budget_amount" }, { param: header });
  return pointsOf(Number(text), perUsd);
}
