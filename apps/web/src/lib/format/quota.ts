/** Formats money, numbers and times in the user's language and the site's unit. */
import {
  formatNumber,
  formatQuota,
  formatSum,
  POINTS_PER_USD,
  withMinus,
} from "@gateway/shared/billing/money";
import { useTranslation } from "react-i18next";
import { currentLocale } from "#lib/i18n.ts";
import { useSite } from "#lib/site.ts";

/**
 * Returns YYYY-MM-DD HH:mm:ss in local time.
 * @param seconds unix seconds
 */
export function formatTime(seconds: number): string {
  const date = new Date(seconds * 1000);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day} ${[two(date.getHours()), two(date.getMinutes()), two(date.getSeconds())].join(":")}`;
}

/** Formats a duration: 380 ms, 1.2 s, 1 m 5 s, 5 h 33 m. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  // Rounded first, so that 60.0 s or 1 m 60 s never appear.
  if (ms < 59_950) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} m ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} m`;
}

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];

/** Chinese and Japanese have a space between a number and its unit, as in all other texts: "3 分钟前". */
const spacedNumber = (text: string) => text.replace(/(\d)(?=[^\s\d,.])/, "$1 ");

/**
 * Returns "3 minutes ago" in the current language. What is to come is rounded: a link for a day expires in 24 hours, not
 * in 23.
 * @param seconds unix seconds
 */
export function formatRelative(seconds: number, nowMs = Date.now()): string {
  const distance = seconds - nowMs / 1000;
  const format = new Intl.RelativeTimeFormat(currentLocale(), { numeric: "auto" });
  for (const [unit, size] of steps)
    if (Math.abs(distance) >= size) {
      const count = distance > 0 ? Math.round(distance / size) : Math.trunc(distance / size);
      return spacedNumber(format.format(count, unit));
    }
  return format.format(0, "second");
}

/** Decimals that show a single point at the usual 500,000 points per dollar. */
const chargeDigits = 6;

type QuotaUnit = { inCurrency: boolean; pointsPerUsd: number };

/**
 * Formats a balance, limit or sum: dollars with two decimals ("$1.25"), or shortened points ("625.0k"). An amount that
 * would round to zero is "<$0.01".
 */
export function quotaText(points: number, unit: QuotaUnit): string {
  return formatQuota(points, { ...unit, marksSmall: true });
}

/**
 * Formats the cost of one call or task, mostly far below a
 * cent: dollars with six decimals, or shortened points.
 */
export function chargeText(points: number, unit: QuotaUnit): string {
  return formatQuota(points, { ...unit, digits: chargeDigits });
}

/** Returns the exact value behind a rounded one, for a tooltip: "$0.003152", or all the points. */
export function exactText(points: number, unit: QuotaUnit): string {
  if (!unit.inCurrency) return formatSum(points, 0);
  return chargeText(points, unit).replace(/(\.\d\d\d*?)0+$/, "$1");
}

/** Bounds of the decimals in a column of charges, and how many digits its largest charge has at most. */
const columnDigits = { min: 2, max: 6, all: 8 };

/** Decimals of balances, limits and sums. */
export const SUM_DECIMALS = columnDigits.min;

/**
 * Returns the number of decimals for all charges of single calls in a column: enough for two significant digits of the
 * smallest one, none that all of them leave at zero, and what the largest one leaves space for.
 * @param amounts points; zeros do not count
 */
export function decimalsOf(amounts: Iterable<number>, pointsPerUsd: number): number {
  let [smallest, largest, exact] = [Infinity, 0, columnDigits.min];
  for (const points of amounts) {
    while (exact < columnDigits.max && (points * 10 ** exact) % pointsPerUsd !== 0) exact += 1;
    const usd = Math.abs(points) / pointsPerUsd;
    if (usd > 0) smallest = Math.min(smallest, usd);
    largest = Math.max(largest, usd);
  }
  const { min, max, all } = columnDigits;
  if (largest === 0) return min;
  const neededDecimals = 1 - Math.floor(Math.log10(smallest));
  const fits = all - Math.max(0, Math.floor(Math.log10(largest)) + 1);
  return Math.max(min, Math.min(neededDecimals, fits, exact, max));
}

/**
 * Formats an amount with the decimals of its column: "$0.0032", "<$0.0001", or all the points, because
 * shortened ones have different decimals.
 */
export function columnText(points: number, decimals: number, unit: QuotaUnit): string {
  if (!unit.inCurrency) return formatSum(points, 0);
  return formatQuota(points, { ...unit, digits: decimals, marksSmall: true });
}

/** Formats a share: "12.5%". A share of nothing has no value, so it is a dash instead of 0 %. */
export function shareText(share: number | null, percent: Intl.NumberFormat): string {
  return share === null || Number.isNaN(share) ? "–" : withMinus(percent.format(share));
}

/** Shortens a number from ten thousand on: "9,999", "200k", "1.2M". */
export function shortText(value: number, whole: Intl.NumberFormat): string {
  return Math.abs(value) < 10_000 ? withMinus(whole.format(value)) : formatNumber(value).replace(".0", "");
}

export type Formatters = ReturnType<typeof createFormatters>;

/** Created once per unit and language: a list has hundreds of cells, and number formats are slow to create. */
const created = new Map<string, Formatters>();

/** Returns formatters bound to the site's unit and the user's language. */
export function useFormat(): Formatters {
  const site = useSite();
  const { language } = useTranslation().i18n;
  const pointsPerUsd = site?.quota_per_unit ?? POINTS_PER_USD;
  const inCurrency = site?.display_in_currency ?? true;
  const key = `${language} ${pointsPerUsd} ${inCurrency}`;
  const formatters = created.get(key) ?? createFormatters(language, { inCurrency, pointsPerUsd });
  created.set(key, formatters);
  return formatters;
}

function createFormatters(language: string, unit: QuotaUnit) {
  const locale = language.replace("_", "-");
  const whole = new Intl.NumberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 });
  const { inCurrency, pointsPerUsd } = unit;
  return {
    pointsPerUsd,
    inCurrency,
    quota: (points: number) => quotaText(points, unit),
    charge: (points: number) => chargeText(points, unit),
    exact: (points: number) => exactText(points, unit),
    /** @param decimals from `decimalsOf`, or SUM_DECIMALS */
    inColumn: (points: number, decimals: number) => columnText(points, decimals, unit),
    /** For the axis of a chart, whose ticks must differ. */
    tick: (points: number, digits: number) => formatQuota(points, { ...unit, digits }),
    /** Points as dollars, regardless of the site's unit. */
    usd: (points: number, digits = 2) => formatQuota(points, { inCurrency: true, pointsPerUsd, digits }),
    /** Unshortened points, regardless of the site's unit. */
    points: (points: number) => formatSum(points, 0),
    /** 1,234,567 */
    whole: (value: number) => withMinus(whole.format(value)),
    /** 1.2M, 200k, 9,999 */
    short: (value: number) => shortText(value, whole),
    percent: (share: number | null) => shareText(share, percent),
  };
}
