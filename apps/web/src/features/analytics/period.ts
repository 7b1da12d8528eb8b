/** Parameters of the screen in the address, and sums over the period. Pure. */
import type { Period, PeriodUsage, UsageSum } from "@gateway/shared/usage/analytics";
import { groupTypes, ownGroupTypes } from "@gateway/shared/usage/group-types";
import { dayRangeTexts, localDay, startOf } from "#lib/address/day-ranges.ts";
import { matching, oneOf, type ParamsOf, whole } from "#lib/address/params.ts";
import { phrasesIn } from "#lib/i18n.ts";
import { othersKey, type StackPart } from "#ui/charts/stacks.ts";

const phrase = phrasesIn("analytics");

export const ranges = ["today", "7d", "30d", "90d", "month", "last-month", "custom"] as const;
export type AnalyticsRange = (typeof ranges)[number];
export const metrics = ["quota", "requests", "tokens", "failed"] as const;
export type Metric = (typeof metrics)[number];

const day = matching(/^(\d{4}-\d{2}-\d{2})?$/);

export const analyticsParams = {
  tab: oneOf(["usage", "statements"]),
  range: oneOf(ranges, "7d"),
  /** Local days of a custom range, both inclusive. */
  from: day,
  to: day,
  by: oneOf(groupTypes, "model"),
  metric: oneOf(metrics),
  view: oneOf(["chart", "table"]),
  flow: oneOf(["chart", "table"]),
  /** 0 = everyone. */
  user: whole(),
};
export type AnalyticsParams = ParamsOf<typeof analyticsParams>;

/** The own usage: the same without what only operators see. */
export const ownUsageParams = {
  range: analyticsParams.range,
  from: day,
  to: day,
  by: oneOf(ownGroupTypes, "model"),
  metric: analyticsParams.metric,
  view: analyticsParams.view,
};
export type OwnUsageParams = ParamsOf<typeof ownUsageParams>;

/** The days of a period in the address. */
export type PeriodParams = Pick<AnalyticsParams, "range" | "from" | "to">;

export const rangeTexts: Record<AnalyticsRange, string> = {
  ...dayRangeTexts,
  month: phrase("This month"),
  "last-month": phrase("Last month"),
  custom: phrase("Custom period"),
};

const longestDays = 366;

/** Returns the first and the last local midnight as unix seconds. */
export function periodWindow(
  { range, from, to }: Pick<AnalyticsParams, "range" | "from" | "to">,
  now: Date,
): { start_timestamp: number; end_timestamp: number } {
  const [first, end] = daysOf({ range, from, to }, now);
  return { start_timestamp: first.getTime() / 1000, end_timestamp: end.getTime() / 1000 };
}

/** Returns the first day, and the day after the last. */
function daysOf(
  { range, from, to }: Pick<AnalyticsParams, "range" | "from" | "to">,
  now: Date,
): [Date, Date] {
  const day = (ahead: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + ahead);
  const month = (ahead: number) => new Date(now.getFullYear(), now.getMonth() + ahead, 1);
  if (range === "month") return [month(0), day(1)];
  if (range === "last-month") return [month(-1), month(0)];
  if (range !== "custom") return [startOf(range, now), day(1)];
  const end = to === "" ? day(1) : addDays(localDay(to), 1);
  const first = from === "" ? addDays(end, -7) : localDay(from);
  // A reversed range becomes its last day. A range beyond the server's maximum is shortened.
  if (first >= end) return [addDays(end, -1), end];
  const earliest = addDays(end, -longestDays);
  return [first < earliest ? earliest : first, end];
}

/** Returns the custom range that shows the same days as another range now. */
export function asCustom(params: Pick<AnalyticsParams, "range" | "from" | "to">, now: Date) {
  const [first, end] = daysOf(params, now);
  return { range: "custom" as const, from: dayText(first), to: dayText(addDays(end, -1)) };
}

function addDays(date: Date, days: number): Date {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);
}

function dayText(date: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

export function valueOf(row: PeriodUsage, metric: Metric): number {
  switch (metric) {
    case "quota":
      return row.Quota;
    case "requests":
      return row.RequestCount + row.FailedCount;
    case "tokens":
      return row.PromptTokens + row.CompletionTokens;
    case "failed":
      return row.FailedCount;
  }
}

/** Parts without a name are counted as the others. */
export function partsOf(rows: readonly PeriodUsage[], metric: Metric): StackPart[] {
  return rows.map((row) => ({ date: row.Date, name: row.Channel || othersKey, value: valueOf(row, metric) }));
}

export type NamedSum = UsageSum & { name: string; search_count: number; search_quota: number };

/** Returns one sum per member of the grouping, most expensive first. */
export function sumByName(rows: readonly PeriodUsage[]): NamedSum[] {
  const sums = new Map<string, NamedSum>();
  for (const row of rows) {
    const sum = sums.get(row.Channel) ?? { name: row.Channel, ...nothing };
    sums.set(row.Channel, {
      name: row.Channel,
      request_count: sum.request_count + row.RequestCount,
      failed_count: sum.failed_count + row.FailedCount,
      quota: sum.quota + row.Quota,
      prompt_tokens: sum.prompt_tokens + row.PromptTokens,
      completion_tokens: sum.completion_tokens + row.CompletionTokens,
      cached_tokens: sum.cached_tokens + row.CachedTokens,
      request_time: sum.request_time + row.RequestTime,
      first_byte_time: sum.first_byte_time + row.FirstByteTime,
      search_count: sum.search_count + row.SearchCount,
      search_quota: sum.search_quota + row.SearchQuota,
    });
  }
  return [...sums.values()].sort((a, b) => b.quota - a.quota || b.request_count - a.request_count);
}

const nothing: Omit<NamedSum, "name"> = {
  request_count: 0,
  failed_count: 0,
  quota: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  cached_tokens: 0,
  request_time: 0,
  first_byte_time: 0,
  search_count: 0,
  search_quota: 0,
};

/** Returns one value per day of the period, with gaps filled. */
export function trendOf(
  period: Pick<Period, "dates" | "channel_statistics">,
  of: (row: PeriodUsage) => number,
): number[] {
  const byDay = new Map(period.dates.map((date) => [date, 0]));
  for (const row of period.channel_statistics) byDay.set(row.Date, (byDay.get(row.Date) ?? 0) + of(row));
  return [...byDay.values()];
}
