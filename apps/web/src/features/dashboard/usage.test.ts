import { describe, expect, it } from "vitest";
import { change, daysLeft, stackByModel, sumByDay } from "./usage.ts";

const call = (date: string, model: string, quota: number) => ({
  date,
  model,
  quota,
  request_count: 1,
  failed_count: 0,
  prompt_tokens: 10,
  completion_tokens: 5,
  request_time: 100,
});

describe("dashboard sums", () => {
  it("adds zeros for a day without calls", () => {
    const sums = sumByDay([call("2026-03-01", "a", 7)], ["2026-02-28", "2026-03-01"]);
    expect(sums.map((day) => day.quota)).toEqual([0, 7]);
  });

  it("compares today with yesterday, and returns null when yesterday was empty", () => {
    expect(change(15, 10)).toBe(0.5);
    expect(change(15, 0)).toBeNull();
  });

  it("estimates how long a balance lasts from complete days", () => {
    const dates = ["2026-02-27", "2026-02-28", "2026-03-01"];
    const days = sumByDay(
      [call("2026-02-27", "a", 30), call("2026-02-28", "a", 10), call("2026-03-01", "a", 1)],
      dates,
    );
    expect(daysLeft(100, days)).toBe(5);
    expect(daysLeft(-1, days)).toBe(0);
    expect(daysLeft(100, sumByDay([call("2026-03-01", "a", 50)], dates))).toBe(2);
    expect(daysLeft(100, sumByDay([], dates))).toBeNull();
  });

  it("stacks spend by model", () => {
    const { series, rows } = stackByModel([call("2026-03-01", "a", 7)], ["2026-03-01"]);
    expect({ series, rows }).toEqual({ series: ["a"], rows: [{ date: "2026-03-01", a: 7 }] });
  });
});
