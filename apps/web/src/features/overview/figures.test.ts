import { describe, expect, it } from "vitest";
import { changeOf, errorRate } from "./figures.ts";

describe("figures of the overview", () => {
  it("compare with the previous period, unless it was empty", () => {
    expect(changeOf({ now: 15, before: 10 })).toBe(0.5);
    expect(changeOf({ now: 15, before: 0 })).toBeNull();
  });

  it("have an error rate only with calls", () => {
    const rate = errorRate({ requests: { now: 200, before: 0 }, failed: { now: 3, before: 0 } });
    expect(rate).toEqual({ now: 0.015, before: null });
  });
});
