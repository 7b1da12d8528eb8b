import type { PaymentCurrency } from "./payment-config.ts";

/**
 * Terms of a top-up, computed in exact decimals. The server and the console use the same code, so that the
 * displayed sum is the sum of the order. Every line is rounded half up to the cent, and the lines add up.
 */
export interface OrderTerms {
  /** Whole US dollars. */
  amount: number;
  /** 0.9 = 10% off. */
  discount: number;
  /** US dollars. */
  fixed_fee: number;
  percent_fee: number;
  currency: PaymentCurrency;
  /** CNY per US dollar. */
  usd_rate: number;
}

/** Amounts in cents: `total` in the gateway's currency, the others in US dollars. */
export interface OrderPrice {
  amount: bigint;
  discount: bigint;
  fee: bigint;
  usd: bigint;
  total: bigint;
}

const SCALE = 6;
const one = 10n ** BigInt(SCALE);

export function priceOrder(terms: OrderTerms): OrderPrice {
  const amount = BigInt(terms.amount) * 100n;
  const discounted = times(amount, terms.discount);
  const fee = times(discounted, terms.percent_fee) + times(100n, terms.fixed_fee);
  const usd = discounted + fee;
  const total = terms.currency === "USD" ? usd : times(usd, terms.usd_rate);
  return { amount, discount: amount - discounted, fee, usd, total };
}

/** Formats cents: 6899n → "68.99". */
export function formatCents(cents: bigint): string {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, "0");
  return `${cents < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Parses cents: "68.99" → 6899n. Undefined unless it is an amount ≥ 0 with at most two decimals. */
export function parseCents(text: string): bigint | undefined {
  const match = /^(\d{1,12})(?:\.(\d{1,2})0*)?$/.exec(text);
  if (match?.[1] === undefined) return undefined;
  return BigInt(match[1]) * 100n + BigInt((match[2] ?? "").padEnd(2, "0"));
}

function times(cents: bigint, factor: number): bigint {
  const exact = BigInt(factor.toFixed(SCALE).replace(".", ""));
  return (cents * exact * 2n + one) / (one * 2n);
}
