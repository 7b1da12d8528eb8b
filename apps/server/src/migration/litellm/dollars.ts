/** LiteLLM counts in binary floats of dollars: they are rounded once, at the end. */
import { POINTS_PER_USD } from "@gateway/shared/billing/money";
import { decimal, text } from "#migration/row.ts";
import type { SourceRow } from "#migration/sources/source.ts";

/** Dollars of a column; undefined when it is not set. */
export function dollars(row: SourceRow, name: string): number | undefined {
  return dollarsOf(text(row, name));
}

export function dollarsOf(value: unknown): number | undefined {
  if (value === null || value === undefined || value === "" || typeof value === "boolean") return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** Whole points; what is too large for a balance is caught where balances are written. */
export function pointsOf(amount: number): bigint {
  return BigInt(Math.round(amount * POINTS_PER_USD));
}

/** The ratio of a price in dollars per token: shortest form, so that 0.0000025 is 1.25 and not 1.2499999999. */
export function ratioOf(dollarsPerToken: number): string | undefined {
  return decimal(Number((dollarsPerToken * POINTS_PER_USD).toPrecision(12)));
}

/** A multiplier of a price. */
export function multiplierOf(part: number, whole: number, decimals = 10): string | undefined {
  return whole === 0 ? undefined : decimal(Number((part / whole).toPrecision(12)), decimals);
}
