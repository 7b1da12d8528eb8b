/** Sums over the usage rows of the dashboard. Pure. */
import type { UsageDay } from "@gateway/shared/usage/dashboard";
import { callsOf } from "@gateway/shared/usage/figures";
import type { z } from "zod";
import { stack, type Stacks } from "#ui/charts/stacks.ts";

type Usage = z.infer<typeof UsageDay>;

export type DaySum = {
  date: string;
  /** Failed calls included. */
  requests: number;
  /** Successful calls, which the duration is of. */
  successful: number;
  quota: number;
  promptTokens: number;
  completionTokens: number;
  /** Sum in milliseconds. */
  requestTime: number;
};

/** Returns one sum per day of `dates`; zeros for days without calls. */
export function sumByDay(usage: readonly Usage[], dates: readonly string[]): DaySum[] {
  const sums = new Map<string, DaySum>(
    dates.map((date) => [
      date,
      { date, requests: 0, successful: 0, quota: 0, promptTokens: 0, completionTokens: 0, requestTime: 0 },
    ]),
  );
  for (const row of usage) {
    const sum = sums.get(row.date);
    if (!sum) continue;
    sum.requests += callsOf(row);
    sum.successful += row.request_count;
    sum.quota += row.quota;
    sum.promptTokens += row.prompt_tokens;
    sum.completionTokens += row.completion_tokens;
    sum.requestTime += row.request_time;
  }
  return [...sums.values()];
}

/** Returns the change against yesterday until the same time, as a share; null when yesterday was zero. */
export function change(today: number, yesterday: number): number | null {
  return yesterday === 0 ? null : (today - yesterday) / yesterday;
}

/**
 * Estimates how many days a balance lasts at the recent rate; null when nothing is spent.
 * @param days the last one, today, is incomplete and ignored unless it is the only one with calls
 */
export function daysLeft(balance: number, days: readonly DaySum[]): number | null {
  const whole = days.slice(0, -1);
  const spent = whole.reduce((sum, day) => sum + day.quota, 0);
  const perDay = spent > 0 ? spent / whole.length : (days.at(-1)?.quota ?? 0);
  return perDay > 0 ? Math.max(0, balance) / perDay : null;
}

/** Spend per day, stacked by model. */
export function stackByModel(usage: readonly Usage[], dates: readonly string[]): Stacks {
  return stack(
    usage.map((row) => ({ date: row.date, name: row.model, value: row.quota })),
    dates,
  );
}
