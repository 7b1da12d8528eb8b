/** Counters of the roll-ups, as SQL sums and as numbers. */
import type { UsageSum } from "@gateway/shared/usage/analytics";

export const counters = [
  "request_count",
  "failed_count",
  "quota",
  "prompt_tokens",
  "completion_tokens",
  "cached_tokens",
  "request_time",
  "first_byte_time",
] as const satisfies (keyof UsageSum)[];

/** Splits of the site's usage with precomputed sums. A lane is a model on a channel. */
export const dimensions = ["site", "model", "channel", "group", "user", "lane"] as const;
export type Dimension = (typeof dimensions)[number];

/** Key of each split, as SQL over usage_hours. */
export const keyOf: Record<Dimension, string> = {
  site: "''",
  model: "model",
  channel: "channel_id::text",
  group: `"group"`,
  user: "user_id::text",
  lane: "channel_id || ':' || model",
};

export const counterColumns = counters.join(", ");
export const counterSums = counters.map((name) => `sum(${name})::bigint AS ${name}`).join(", ");

export type CounterRow = Record<keyof UsageSum, bigint | null>;

/** Converts SQL sums to numbers. A sum over no rows is null in SQL. */
export function sumOf(row: Partial<CounterRow> | undefined): UsageSum {
  const entries = counters.map((name) => [name, Number(row?.[name] ?? 0n)]);
  // The list above contains every counter.
  return Object.fromEntries(entries) as UsageSum;
}

export function sumOfRows(rows: readonly UsageSum[]): UsageSum {
  const sum = sumOf(undefined);
  for (const row of rows) for (const counter of counters) sum[counter] += row[counter];
  return sum;
}
