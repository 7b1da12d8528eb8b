import type { FastifyRequest } from "fastify";
import { invalidRequest } from "#errors.ts";

const amount = /^\d{1,7}(?:\.\d{1,6})?$/;

/**
 * Returns the amount in US dollars that a header contains; undefined without it. Throws `invalid_request` for a header
 * that is no amount with at most six decimals.
 */
export function usdHeader(
  { headers }: Pick<FastifyRequest, "headers">,
  name: "x-session-budget" | "x-max-price",
): number | undefined {
  const value = headers[name];
  if (value === undefined) return undefined;
  if (typeof value !== "string" || !amount.test(value.trim()))
    throw invalidRequest({ reason: reasons[name] }, { param: name });
  return Number(value);
}

const reasons = { "x-session-budget": "session_budget_amount", "x-max-price": "max_price_amount" } as const;
