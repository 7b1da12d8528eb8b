import { describe, expect, it } from "vitest";
import { change, stackByModel, sumByDay } from "./usage.ts";

const call = (date: string, model: string, quota: number) => ({
  date,
  model,
  quota,
  request_count: 1,
  prompt_tokens: 10,
  completion_tokens: 5,
  request_time: 100,
});

describe("dashboard sums", () => {
  it("gives a day without calls zeros", () => {
    const sums = sumByDay([call("2026-03-01", "a", 7)], ["2026-02-28", "2026-03-01"]);
    expect(sums.map((day) => day.quota)).toEqual([0, 7]);
  });

  it("compares today with yesterday, and says nothing when yesterday was empty", () => {
    const dates = ["2026-02-28", "2026-03-01"];
    const grown = sumByDay([call("2026-02-28", "a", 10), call("2026-03-01", "a", 15)], dates);
    expect(change(grown, (day) => day.quota)).toBe(0.5);
    expect(change(sumByDay([call("2026-03-01", "a", 15)], dates), (day) => day.quota)).toBeNull();
  });

  it("stacks spend by model", () => {
    const { series, rows } = stackByModel([call("2026-03-01", "a", 7)], ["2026-03-01"]);
    expect({ series, rows }).toEqual({ series: ["a"], rows: [{ date: "2026-03-01", a: 7 }] });
  });
});
