/** Converts ratios to money and back. Pure. */
import { cnyOf, USD_PER_1K_AT_RATIO_1 } from "@gateway/shared/billing/money";

export type Currency = "rate" | "usd" | "rmb";
/** Per thousand or million tokens; irrelevant for calls. */
export type Scale = "K" | "M";
export type RateUnit = { currency: Currency; scale: Scale; perCall: boolean; cnyPerUsd: number };

function factorOf({ currency, scale, perCall, cnyPerUsd }: RateUnit): number {
  if (currency === "rate") return 1;
  const perK = currency === "usd" ? USD_PER_1K_AT_RATIO_1 : cnyOf(1, cnyPerUsd);
  return scale === "M" && !perCall ? perK * 1000 : perK;
}

/** Returns the ratio with ten decimals, as the server stores it. */
export function toRatio(amount: number, unit: RateUnit): number {
  return Number((amount / factorOf(unit)).toFixed(10));
}

/** Returns the amount without floating-point noise. */
export function fromRatio(ratio: number, unit: RateUnit): number {
  return Number((ratio * factorOf(unit)).toPrecision(10));
}
