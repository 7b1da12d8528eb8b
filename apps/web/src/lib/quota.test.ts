import { describe, expect, it } from "vitest";
import { spendDigits } from "./quota.ts";

describe("digits of a sum", () => {
  it("are two for nothing and for a dollar and more", () => {
    expect([spendDigits(0), spendDigits(1), spendDigits(-250)]).toEqual([2, 2, 2]);
  });

  it("grow as the sum shrinks, so that a charge never reads as zero", () => {
    expect(spendDigits(0.0314)).toBe(4);
    expect(spendDigits(0.000002)).toBe(6);
  });
});
