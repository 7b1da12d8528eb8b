/** Sums over the usage rows of the dashboard. Pure. */
import type { UsageDay } from "@gateway/shared/usage/dashboard";
import type { z } from "zod";
import { stack, type Stacks } from "#ui/charts/stacks.ts";

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

/** Spend per day, stacked by model. */
export function stackByModel(usage: readonly Usage[], dates: readonly string[]): Stacks {
  return stack(
    usage.map((row) => ({ date: row.date, name: row.model, value: row.quota })),
    dates,
  );
}
