/** Values per day, stacked by name: the data of a bar chart. Pure. */
import { PALETTE_SIZE } from "./chart-colors.ts";

export const othersKey = "__others";

export type Stacks = {
  /** Names, largest first; the last may be `othersKey`. */
  series: string[];
  /** One row per day: `date`, and the value by series. */
  rows: ({ date: string } & Record<string, number | string>)[];
};

export type StackPart = { date: string; name: string; value: number };

/** Returns as many names as there are colours, and the others. A part named `othersKey` always belongs to the others. */
export function stack(parts: readonly StackPart[], dates: readonly string[]): Stacks {
  const rows = new Map<string, Stacks["rows"][number]>(dates.map((date) => [date, { date }]));
  const inRange = parts.filter((part) => part.value > 0 && rows.has(part.date));
  const totals = new Map<string, number>();
  for (const { name, value } of inRange)
    if (name !== othersKey) totals.set(name, (totals.get(name) ?? 0) + value);
  const ranked = [...totals.keys()].sort((a, b) => (totals.get(b) ?? 0) - (totals.get(a) ?? 0));
  const own = new Set(ranked.slice(0, PALETTE_SIZE));
  let others = false;
  for (const part of inRange) {
    const key = own.has(part.name) ? part.name : othersKey;
    others ||= key === othersKey;
    const row = rows.get(part.date);
    if (row) row[key] = Number(row[key] ?? 0) + part.value;
  }
  return { series: others ? [...own, othersKey] : [...own], rows: [...rows.values()] };
}

/** Returns the height of the highest bar. */
export function topOf({ series, rows }: Stacks): number {
  return Math.max(0, ...rows.map((row) => series.reduce((sum, name) => sum + Number(row[name] ?? 0), 0)));
}

/**
 * Returns the number of decimals that keep the ticks of an axis distinct: "$0.30", "$0.0050".
 * @param top highest sum, in dollars
 */
export function tickDigits(top: number): number {
  if (top <= 0) return 2;
  const step = top / 4;
  return Math.min(6, Math.max(2, Math.ceil(-Math.log10(step)) + 1));
}
