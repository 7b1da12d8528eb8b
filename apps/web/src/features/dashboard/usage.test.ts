import { describe, expect, it } from "vitest";
import { change, lastDays, othersKey, stackByModel, sumByDay, tickDigits } from "./usage.ts";

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
  it("lists local days up to today, across a month's end", () => {
    expect(lastDays(3, new Date(2026, 2, 1, 0, 5))).toEqual(["2026-02-27", "2026-02-28", "2026-03-01"]);
  });

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

  it("keeps the eight models that cost most and sums the rest", () => {
    const usage = Array.from({ length: 10 }, (_, index) => call("2026-03-01", `m${index}`, 10 - index));
    const { series, rows } = stackByModel(usage, ["2026-03-01"]);
    expect(series).toHaveLength(9);
    expect(series[0]).toBe("m0");
    expect(rows[0]?.[othersKey]).toBe(2 + 1);
  });

  it("leaves out models that cost nothing in the shown days", () => {
    expect(
      stackByModel([call("2026-03-01", "a", 0), call("2020-01-01", "b", 9)], ["2026-03-01"]).series,
    ).toEqual([]);
  });

  it("gives an axis the digits that keep its ticks apart", () => {
    expect([0, 250, 1.2, 0.9].map(tickDigits)).toEqual([2, 2, 2, 2]);
    expect(tickDigits(0.1)).toBe(3);
    expect(tickDigits(0.02)).toBe(4);
    expect(tickDigits(0.000_02)).toBe(6);
  });
});
