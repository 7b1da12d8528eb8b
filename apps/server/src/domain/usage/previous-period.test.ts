import { describe, expect, it } from "vitest";
import { sumOf } from "./counters.ts";
import { previousPeriod, sumOfPrevious } from "./previous-period.ts";

const at = (time: string) => new Date(`2026-03-${time}:00Z`);
const day = { from: at("10T00:00"), to: at("11T00:00") };

describe("the previous period", () => {
  it("of a day that has ended is the whole day before", () => {
    expect(previousPeriod(day, at("12T09:00"))).toMatchObject({
      span: { from: at("09T00:00"), to: at("10T00:00") },
      share: 0,
    });
  });

  it("of a day that has not ended stops at the same time, within its hour", () => {
    expect(previousPeriod(day, at("10T12:15"))).toMatchObject({
      span: { from: at("09T00:00"), to: at("09T13:00") },
      days: [{ start: at("09T00:00") }, { start: at("09T12:00") }],
      share: 0.25,
    });
  });

  it("counts its last hour by the elapsed share", () => {
    const row = (at: number) => ({ ...sumOf(undefined), day: at, request_count: 8, quota: 100 });
    expect(sumOfPrevious([row(0), row(1)], { share: 0.25 })).toMatchObject({ request_count: 10, quota: 125 });
  });
});
