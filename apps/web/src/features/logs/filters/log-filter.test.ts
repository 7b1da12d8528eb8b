import { describe, expect, it } from "vitest";
import { initialOf, readParams } from "#lib/address/params.ts";
import { countNarrowing, logParams, logWindow } from "./log-filter.ts";

const now = new Date(2026, 10, 21, 9, 30, 15);
const seconds = now.getTime() / 1000;

describe("time ranges", () => {
  it("stay open at the end unless they are custom", () => {
    for (const range of ["hour", "24h", "today", "7d", "30d", "90d", "all"] as const)
      expect(logWindow({ range, from: 5, to: 9 }, now).end_timestamp, range).toBe(0);
  });

  it("begin at local midnight for today", () => {
    const start = logWindow({ range: "today", from: 0, to: 0 }, now).start_timestamp;
    expect(seconds - start).toBe(9 * 3600 + 30 * 60 + 15);
  });

  it("of days are calendar days that end today, as in Analytics", () => {
    const start = (range: "7d" | "30d") => logWindow({ range, from: 0, to: 0 }, now).start_timestamp * 1000;
    expect(new Date(start("7d"))).toEqual(new Date(2026, 10, 15));
    expect(new Date(start("30d"))).toEqual(new Date(2026, 9, 23));
  });

  it("use the selected times when custom", () => {
    expect(logWindow({ range: "custom", from: 5, to: 9 }, now)).toEqual({
      start_timestamp: 5,
      end_timestamp: 9,
    });
  });
});

describe("the filter in the address bar", () => {
  it("ignores invalid values", () => {
    const filter = readParams(
      logParams,
      new URLSearchParams("range=soon&size=many&log_type=x&from=-4&view=all"),
    );
    expect(filter).toMatchObject({ range: "7d", size: 50, log_type: 0, from: 0, view: "" });
  });

  it("counts filters, but not the tab or the time range", () => {
    const filter = {
      ...initialOf(logParams),
      log_type: 5,
      range: "hour" as const,
      model_name: "m",
      channel_id: 3,
    };
    expect(countNarrowing(filter)).toBe(2);
  });
});
