import { describe, expect, it } from "vitest";
import { fillHistogram } from "./histogram-bars.ts";

const hour = 3_600;
const open = { start_timestamp: 0, end_timestamp: 0 };
const histogram = (starts: number[], complete = true) => ({
  span: hour,
  complete,
  bars: starts.map((at) => ({ starts: at, count: 2, failed: 1 })),
});
const startsOf = (...given: Parameters<typeof fillHistogram>) =>
  fillHistogram(...given).map((bar) => bar.starts / hour);

describe("bars of the log's chart", () => {
  it("fill the gaps between calls", () => {
    const bars = fillHistogram(histogram([100 * hour, 103 * hour], false), open, 103 * hour);
    expect(bars.map((bar) => bar.count)).toEqual([2, 0, 0, 2]);
  });

  it("reach from the beginning of the period to now", () => {
    const period = { start_timestamp: 96 * hour, end_timestamp: 0 };
    expect(startsOf(histogram([98 * hour]), period, 101.5 * hour)).toEqual([96, 97, 98, 99, 100, 101]);
  });

  it("end with a chosen period", () => {
    const period = { start_timestamp: 97.5 * hour, end_timestamp: 99 * hour };
    expect(startsOf(histogram([98 * hour]), period, 500 * hour)).toEqual([98, 99]);
  });

  it("are not a single one while a gateway is new", () => {
    const starts = startsOf(histogram([100 * hour]), open, 100.2 * hour);
    expect(starts).toHaveLength(40);
    expect(starts.at(-1)).toBe(100);
  });

  it("claim nothing of calls that were not counted", () => {
    const period = { start_timestamp: 1 * hour, end_timestamp: 0 };
    expect(startsOf(histogram([100 * hour, 101 * hour], false), period, 101.1 * hour)).toEqual([100, 101]);
  });

  it("are at most 200, the newest", () => {
    const starts = startsOf(histogram([hour, 900 * hour]), open, 900 * hour);
    expect(starts).toHaveLength(200);
    expect(starts.at(-1)).toBe(900);
  });
});
