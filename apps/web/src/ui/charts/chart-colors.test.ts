import { expect, it } from "vitest";
import { PALETTE_SIZE, seriesColors } from "./chart-colors.ts";

const names = (from: number, count: number) => Array.from({ length: count }, (_, at) => `model ${from + at}`);

it("a name keeps its colour on every chart, and no two names of a chart share one", () => {
  const first = seriesColors(names(0, PALETTE_SIZE));
  expect(new Set(first.values()).size).toBe(PALETTE_SIZE);
  expect([...seriesColors(["model 3", "model 1"])]).toEqual([
    ["model 3", first.get("model 3")],
    ["model 1", first.get("model 1")],
  ]);
  // Further names take the colours that the chart has left.
  for (let from = 1; from < 20; from += 1)
    expect(new Set(seriesColors(names(from, PALETTE_SIZE)).values()).size).toBe(PALETTE_SIZE);
  expect(seriesColors(names(0, PALETTE_SIZE))).toEqual(first);
});

it("repeats colours only when a chart has more names than colours", () => {
  expect(seriesColors(names(0, PALETTE_SIZE + 2)).size).toBe(PALETTE_SIZE + 2);
});
