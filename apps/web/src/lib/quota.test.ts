import { describe, expect, it } from "vitest";
import { formatDuration, spendDigits } from "./quota.ts";

describe("digits of a sum", () => {
  it("are two for nothing and for a dollar and more", () => {
    expect([spendDigits(0), spendDigits(1), spendDigits(-250)]).toEqual([2, 2, 2]);
  });

  it("grow as the sum shrinks, so that a charge never reads as zero", () => {
    expect(spendDigits(0.0314)).toBe(4);
    expect(spendDigits(0.000002)).toBe(6);
  });
});

it("never says sixty seconds where a minute is meant", () => {
  expect([380, 1_234, 59_940, 59_999, 65_000, 119_700].map(formatDuration)).toEqual([
    "380 ms",
    "1.23 s",
    "59.9 s",
    "1 m 0 s",
    "1 m 5 s",
    "2 m 0 s",
  ]);
});
