/** Where the parts of a bar chart stand, in pixels. Pure. */
import type { Stacks } from "./stacks.ts";

export type Box = { width: number; height: number };

const widestBar = 44;
/** Of a day's share of the width. */
const barShare = 0.8;
const mostSteps = 5;
/** Pixels between two parts of a bar, so that they differ without their colours. */
const gap = 1;
/** A part that has a value is visible. */
const leastBar = 0.5;

/** The grid lines' values from 0 on; the last one is not below `top`. Whole numbers, as everything counted here is. */
export function axisTicks(top: number): number[] {
  if (top <= 0) return [0, 1];
  const least = Math.max(1, top / mostSteps);
  const decade = 10 ** Math.floor(Math.log10(least));
  const round = [1, 2, 2.5, 5].map((factor) => factor * decade);
  const step = round.find((size) => size >= least && Number.isInteger(size)) ?? 10 * decade;
  return Array.from({ length: Math.ceil(top / step) + 1 }, (_, index) => index * step);
}

/** Every how many days one is named, when a name takes `labelWidth`. */
export function labelEvery(days: number, width: number, labelWidth: number): number {
  return width <= 0 ? days : Math.max(1, Math.ceil((days * labelWidth) / width));
}

/** The middle of a day's bar. */
export function middleOf(day: number, days: number, width: number): number {
  return ((day + 0.5) * width) / days;
}

/** The day at `x`; the first or the last one beyond the ends. */
export function dayAt(x: number, days: number, width: number): number {
  return Math.min(days - 1, Math.max(0, Math.floor((x / width) * days)));
}

/** One SVG path per series, first at the bottom. @param highest the value at the upper edge */
export function barPaths({ series, rows }: Stacks, highest: number, { width, height }: Box): string[] {
  const bar = Math.min(widestBar, (width / rows.length) * barShare);
  const reached = rows.map(() => 0);
  const highestPart = rows.map((row) => series.findLastIndex((name) => Number(row[name] ?? 0) > 0));
  return series.map((name, part) =>
    rows
      .map((row, day) => {
        const value = Number(row[name] ?? 0);
        if (value <= 0) return "";
        const from = reached[day] ?? 0;
        const to = from + value;
        reached[day] = to;
        const left = middleOf(day, rows.length, width) - bar / 2;
        const y = (sum: number) => round(height * (1 - sum / highest));
        const top = Math.min(y(from) - leastBar, y(to) + (part === highestPart[day] ? 0 : gap));
        return `M${round(left)} ${y(from)}V${round(top)}h${round(bar)}V${y(from)}z`;
      })
      .join(""),
  );
}

function round(pixels: number): number {
  return Math.round(pixels * 100) / 100;
}
