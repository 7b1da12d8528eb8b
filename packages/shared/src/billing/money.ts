/** 1 point = $0.000002. Every stored amount is a whole number of points. */
export const POINTS_PER_USD = 500_000;

/** A ratio of 1 is $0.002 per 1,000 tokens, which is one point per token. */
export const USD_PER_1K_AT_RATIO_1 = 0.002;
/** The same price in yuan, on a site whose operator has not set a rate. */
const CNY_PER_1K_AT_RATIO_1 = 0.014;
/** The rate between these two: yuan per dollar in shown prices, unless the operator has set one. */
export const PRICE_CNY_PER_USD = 7;

/** Formats a price with at most six significant digits and without trailing zeros: "2.5", "0.002", "1200". */
export function formatRate(value: number): string {
  return String(Number(value.toPrecision(6)));
}

/** Formats a cost with at most six significant digits and at least two decimals: "$1.80", "$0.002", "$1,200.00". */
export function formatCost(usd: number): string {
  const text = formatRate(usd);
  return `$${/e|\.\d\d/.test(text) ? text : formatSum(usd)}`;
}

/** Returns the price of a ratio in yuan per 1K tokens. */
export function cnyOf(ratio: number, cnyPerUsd: number): number {
  return cnyPerUsd === PRICE_CNY_PER_USD
    ? ratio * CNY_PER_1K_AT_RATIO_1
    : ratio * USD_PER_1K_AT_RATIO_1 * cnyPerUsd;
}

/**
 * Formats a ratio as a price: "Free" for 0, else "$x / ￥y" per 1K tokens, or per 1M with `perMillion`.
 * @param freeWord the translated word for a price of zero
 */
export function formatPrice(
  ratio: number,
  options: { perMillion?: boolean; cnyPerUsd?: number; freeWord?: string } = {},
): string {
  if (ratio === 0) return options.freeWord ?? "Free";
  const scale = options.perMillion ? 1000 : 1;
  const cny = cnyOf(ratio, options.cnyPerUsd ?? PRICE_CNY_PER_USD);
  return `$${formatRate(ratio * USD_PER_1K_AT_RATIO_1 * scale)} / ￥${formatRate(cny * scale)}`;
}

/** Replaces the hyphen in front of a formatted negative number by a minus sign, which is as wide as a plus sign. */
export function withMinus(text: string): string {
  return text.replace(/^-/, "−");
}

/** Shortens a number: 1.2B, 3.4M, 56.7k. Numbers below 10,000 are unchanged. */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e9) return withMinus(`${(value / 1e9).toFixed(1)}B`);
  if (size >= 1e6) return withMinus(`${(value / 1e6).toFixed(1)}M`);
  if (size >= 1e4) return withMinus(`${(value / 1e3).toFixed(1)}k`);
  return withMinus(String(value));
}

/** Formats a sum with thousands separators: "1,234.50". */
export function formatSum(amount: number, digits = 2): string {
  const [whole = "", ...fraction] = amount.toFixed(digits).split(".");
  return withMinus([whole.replace(/\B(?=(?:\d{3})+$)/g, ","), ...fraction].join("."));
}

/**
 * Formats points: dollars with two decimals (or `digits`), or a shortened number of points. A debt that would
 * round to zero is "−<$0.01", because "−$0.00" hides it.
 * @param options.marksSmall also shows an amount above zero as "<$0.01" instead of "$0.00"
 */
export function formatQuota(
  points: number,
  options: { inCurrency: boolean; pointsPerUsd?: number; digits?: number; marksSmall?: boolean },
): string {
  if (!options.inCurrency) return formatNumber(points);
  const usd = points / (options.pointsPerUsd ?? POINTS_PER_USD);
  const sum = formatSum(Math.abs(usd), options.digits);
  const sign = usd < 0 ? "−" : "";
  const hidden = usd !== 0 && Number(sum.replaceAll(",", "")) === 0;
  if (hidden && (usd < 0 || options.marksSmall)) return `${sign}<$${smallest(options.digits)}`;
  return `${sign}$${sum}`;
}

/** Returns the smallest amount above zero that these decimals can show: "0.01". */
function smallest(digits = 2): string {
  return (10 ** -digits).toFixed(digits);
}

/** Converts dollars to points, rounded to a whole point. */
export function pointsOf(usd: number, pointsPerUsd = POINTS_PER_USD): number {
  return Math.round(usd * pointsPerUsd);
}
