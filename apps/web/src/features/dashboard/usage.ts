/** Sums over the usage rows of the dashboard. Pure. */
import type { UsageDay } from "@gateway/shared/dashboard";
import type { z } from "zod";

type Usage = z.infer<typeof UsageDay>;

export type DaySum = {
  date: string;
  requests: number;
  quota: number;
  promptTokens: number;
  completionTokens: number;
  /** Milliseconds, summed. */
  requestTime: number;
};

/** Local dates as YYYY-MM-DD, oldest first, today last. */
export function lastDays(count: number, now = new Date()): string[] {
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() - (count - 1 - index));
    const two = (value: number) => String(value).padStart(2, "0");
    return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
  });
}

/** One sum per day of `dates`; days without calls are zeros. */
export function sumByDay(usage: readonly Usage[], dates: readonly string[]): DaySum[] {
  const sums = new Map<string, DaySum>(
    dates.map((date) => [
      date,
      { date, requests: 0, quota: 0, promptTokens: 0, completionTokens: 0, requestTime: 0 },
    ]),
  );
  for (const row of usage) {
    const sum = sums.get(row.date);
    if (!sum) continue;
    sum.requests += row.request_count;
    sum.quota += row.quota;
    sum.promptTokens += row.prompt_tokens;
    sum.completionTokens += row.completion_tokens;
    sum.requestTime += row.request_time;
  }
  return [...sums.values()];
}

/** Change against yesterday as a share; null when yesterday was nothing. */
export function change(days: readonly DaySum[], of: (day: DaySum) => number): number | null {
  const [yesterday, today] = days.slice(-2);
  if (!yesterday || !today || of(yesterday) === 0) return null;
  return (of(today) - of(yesterday)) / of(yesterday);
}

const maxSeries = 8;
export const othersKey = "__others";

export type Stacks = {
  /** Models by spend, largest first; the last may be `othersKey`. */
  series: string[];
  /** One row per day: `date`, and points by series. */
  rows: ({ date: string } & Record<string, number | string>)[];
};

/** Spend per day, stacked by model: at most eight models and the others. */
export function stackByModel(usage: readonly Usage[], dates: readonly string[]): Stacks {
  const shown = new Set(dates);
  const inRange = usage.filter((row) => shown.has(row.date) && row.quota > 0);
  const totals = new Map<string, number>();
  for (const row of inRange) totals.set(row.model, (totals.get(row.model) ?? 0) + row.quota);
  const ranked = [...totals.keys()].sort((a, b) => (totals.get(b) ?? 0) - (totals.get(a) ?? 0));
  const own = new Set(ranked.slice(0, maxSeries));
  const rows = dates.map((date) => {
    const row: Stacks["rows"][number] = { date };
    for (const entry of inRange) {
      if (entry.date !== date) continue;
      const key = own.has(entry.model) ? entry.model : othersKey;
      row[key] = Number(row[key] ?? 0) + entry.quota;
    }
    return row;
  });
  return { series: ranked.length > maxSeries ? [...own, othersKey] : [...own], rows };
}

/** Digits after the point with which the ticks of an axis differ: "$0.30", "$0.0050". @param top highest sum, in dollars */
export function tickDigits(top: number): number {
  if (top <= 0) return 2;
  const step = top / 4;
  return Math.min(6, Math.max(2, Math.ceil(-Math.log10(step)) + 1));
}
