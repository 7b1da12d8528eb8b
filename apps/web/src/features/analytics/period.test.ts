import type { PeriodUsage } from "@gateway/shared/usage/analytics";
import { averageDurationOf, callsOf } from "@gateway/shared/usage/figures";
import { describe, expect, it } from "vitest";
import { othersKey } from "#ui/charts/stacks.ts";
import { asCustom, partsOf, sumByName, periodWindow } from "./period.ts";

const now = new Date(2026, 2, 10, 15, 30);
const seconds = (year: number, month: number, day: number) => new Date(year, month - 1, day).getTime() / 1000;
const ask = (range: Parameters<typeof periodWindow>[0]["range"], from = "", to = "") =>
  periodWindow({ range, from, to }, now);

const row = (values: Partial<PeriodUsage>): PeriodUsage => ({
  Date: "2026-03-01",
  Channel: "a",
  RequestCount: 0,
  Quota: 0,
  PromptTokens: 0,
  CompletionTokens: 0,
  RequestTime: 0,
  FailedCount: 0,
  CachedTokens: 0,
  FirstByteTime: 0,
  SearchCount: 0,
  SearchQuota: 0,
  ...values,
});

describe("the period", () => {
  it("runs from local midnight to local midnight", () => {
    expect(ask("today")).toEqual({
      start_timestamp: seconds(2026, 3, 10),
      end_timestamp: seconds(2026, 3, 11),
    });
    expect(ask("7d").start_timestamp).toBe(seconds(2026, 3, 4));
    expect(ask("month")).toEqual({
      start_timestamp: seconds(2026, 3, 1),
      end_timestamp: seconds(2026, 3, 11),
    });
    expect(ask("last-month")).toEqual({
      start_timestamp: seconds(2026, 2, 1),
      end_timestamp: seconds(2026, 3, 1),
    });
  });

  it("includes both days of a custom range, and corrects an invalid one", () => {
    expect(ask("custom", "2026-01-05", "2026-01-06")).toEqual({
      start_timestamp: seconds(2026, 1, 5),
      end_timestamp: seconds(2026, 1, 7),
    });
    expect(ask("custom", "2026-01-09", "2026-01-06").start_timestamp).toBe(seconds(2026, 1, 6));
    expect(ask("custom", "2001-01-01", "2026-01-06").start_timestamp).toBe(seconds(2025, 1, 6));
  });

  it("is converted to a custom range that shows the same days", () => {
    expect(asCustom({ range: "7d", from: "", to: "" }, now)).toEqual({
      range: "custom",
      from: "2026-03-04",
      to: "2026-03-10",
    });
  });
});

describe("sums", () => {
  it("sum the days, most expensive first", () => {
    const sums = sumByName([
      row({ Quota: 1, RequestCount: 1 }),
      row({ Date: "2026-03-02", Quota: 2, RequestCount: 1 }),
      row({ Channel: "b", Quota: 9, RequestTime: 900, RequestCount: 2, FailedCount: 1 }),
    ]);
    expect(sums.map((sum) => [sum.name, sum.quota])).toEqual([
      ["b", 9],
      ["a", 3],
    ]);
    expect(sums.map(averageDurationOf)).toEqual([450, 0]);
    expect(sumByName([row({})]).map(averageDurationOf)).toEqual([null]);
  });

  it("count failed calls as requests, in the table as in the chart", () => {
    const day = row({ RequestCount: 2, FailedCount: 1 });
    expect(sumByName([day]).map(callsOf)).toEqual([3]);
    expect(partsOf([day], "requests").map((part) => part.value)).toEqual([3]);
  });

  it("count unnamed parts as the others", () => {
    expect(partsOf([row({ Channel: "", Quota: 4 })], "quota")).toEqual([
      { date: "2026-03-01", name: othersKey, value: 4 },
    ]);
  });
});
