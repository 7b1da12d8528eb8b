import { describe, expect, it } from "vitest";
import { axisTicks, barPaths, dayAt, labelEvery } from "./bar-plot.ts";

describe("a bar plot", () => {
  it("has round grid lines that reach the highest bar, at most six of them", () => {
    expect(axisTicks(0)).toEqual([0, 1]);
    expect(axisTicks(1)).toEqual([0, 1]);
    expect(axisTicks(3)).toEqual([0, 1, 2, 3]);
    expect(axisTicks(9)).toEqual([0, 2, 4, 6, 8, 10]);
    expect(axisTicks(100)).toEqual([0, 20, 40, 60, 80, 100]);
    for (const top of [7, 41, 999, 1_000, 123_457, 5_000_001]) {
      const ticks = axisTicks(top);
      expect(ticks.length).toBeLessThanOrEqual(6);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(top);
      expect(ticks.every(Number.isInteger)).toBe(true);
    }
  });

  it("stacks the values of a day with a gap of 1 px, and draws nothing for zero", () => {
    const rows = [
      { date: "d1", a: 1, b: 3 },
      { date: "d2", a: 0, b: 4 },
    ];
    const paths = barPaths({ series: ["a", "b"], rows }, 4, { width: 100, height: 40 });
    expect(paths).toEqual(["M5 40V31h40V40z", "M5 30V0h40V30zM55 40V0h40V40z"]);
  });

  it("labels as many days as fit", () => {
    expect(labelEvery(7, 500, 48)).toBe(1);
    expect(labelEvery(30, 500, 48)).toBe(3);
    expect(labelEvery(30, 0, 48)).toBe(30);
  });

  it("finds the day under the pointer, also at and beyond its edges", () => {
    expect([-5, 0, 49, 50, 100, 120].map((x) => dayAt(x, 2, 100))).toEqual([0, 0, 0, 1, 1, 1]);
  });
});
