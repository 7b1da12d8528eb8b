/** Labels and number formats of the metrics. */
import type { UsageSum } from "@gateway/shared/usage/analytics";
import { callsOf, tokensOf } from "@gateway/shared/usage/figures";
import type { Formatters } from "#lib/format/quota.ts";
import { phrasesIn } from "#lib/i18n.ts";
import type { Metric } from "./period.ts";

const phrase = phrasesIn("analytics");

export const metricLabels: Record<Metric, string> = {
  quota: phrase("Charged"),
  requests: phrase("Requests"),
  tokens: phrase("Token count"),
  failed: phrase("Failed"),
};

export function metricText(metric: Metric, value: number, format: Formatters): string {
  if (metric === "quota") return format.quota(value);
  return metric === "tokens" ? format.short(value) : format.whole(value);
}

/** Value of a metric in the sums of a period. */
export const amountOf: Record<Metric, (sum: UsageSum) => number> = {
  quota: (sum) => sum.quota,
  requests: callsOf,
  tokens: tokensOf,
  failed: (sum) => sum.failed_count,
};
