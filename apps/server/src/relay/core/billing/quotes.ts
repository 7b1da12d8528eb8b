import type { Bill } from "@gateway/shared/usage/log";
import type { CallQuote } from "#relay/core/call.ts";

interface ComputedBill {
  readonly points: bigint;
  readonly bill: Bill;
}

/** Returns the bill of a call with a quote. It is charged at most the quote; the rest is the operator's. */
export function keepQuote({ id, amount }: CallQuote, { points, bill }: ComputedBill): ComputedBill {
  const quote = { id, amount: String(amount) };
  if (points <= amount) return { points, bill: { ...bill, quote } };
  return { points: amount, bill: { ...bill, quote, uncollected: String(points - amount) } };
}
