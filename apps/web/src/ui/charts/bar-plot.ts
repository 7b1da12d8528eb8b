/** Geometry of a stacked bar chart, in pixels. Pure. */
import type { Stacks } from "./stacks.ts";

export type Box = { width: number; height: number };

const widestBar = 44;
/** Width of a bar as a share of a day's width. */
const barShare = 0.8;
const mostSteps = 5;
/** Pixels between two parts of a bar, so that they differ without their colours. */
const gap = 1;
/** Minimum height, so that a part with a value is visible. */
const leastBar = 0.5;

/**
 * Returns the values of the grid lines from 0 on; the last is
 * at least `top`. All are integers, like the counted values.
 */
export function axisTicks(top: number): number[] {
  if (top <= 0) return [0, 1];
  const least = Math.max(1, top / mostSteps);
  const decade = 10 ** Math.floor(Math.log10(least));
  const round = [1, 2, 2.5, 5].map((factor) => factor * decade);
  const step = round.find((size) => size >= least && Number.isInteger(size)) ?? 10 * decade;
  return Array.from({ length: Math.ceil(top / step) + 1 }, (_, index) => index * step);
}

/** Returns the interval between labelled days when a label takes `labelWidth`. */
export function labelEvery(days: number, width: number, labelWidth: number): number {
  return width <= 0 ? days : Math.max(1, Math.ceil((days * labelWidth) / width));
}

/** Returns the centre of a day's bar. */
export function middleOf(day: number, days: number, width: number): number {
  return ((day + 0.5) * width) / days;
}

/** Returns the day at `x`, clamped to the first and last day. */
export function dayAt(x: number, days: number, width: number): number {
  return Math.min(days - 1, Math.max(0, Math.floor((x / width) * days)));
}

/**
 * Returns one SVG path per series, the first at the bottom.
 * @param highest the value at the upper edge
 */
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

/** Returns the SVG path of a line through one value per day. */
export function linePath(values: readonly number[], highest: number, { width, height }: Box): string {
  return values
    .map((value, day) => {
      const x = round(middleOf(day, values.length, width));
      return `${day === 0 ? "M" : "L"}${x} ${round(height * (1 - value / highest))}`;
    })
    .join("");
}

function round(pixels: number): number {
  return Math.round(pixels * 100) / 100;
}
