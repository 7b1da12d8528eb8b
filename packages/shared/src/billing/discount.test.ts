import { describe, expect, it } from "vitest";
import { discountsFor, DiscountText } from "./discount.ts";

describe("discount table", () => {
  it("matches exact amounts, and prefers a group's own ratio", () => {
    const text = '{"100": 0.9, "10": 0.95, "vip": {"100": 0.8, "500": 0.7}}';
    expect([...discountsFor(text, "default")]).toEqual([
      [10, 0.95],
      [100, 0.9],
    ]);
    expect([...discountsFor(text, "vip")]).toEqual([
      [10, 0.95],
      [100, 0.8],
      [500, 0.7],
    ]);
    expect(discountsFor(text, "constructor").size).toBe(2);
    expect(discountsFor("", "default").size).toBe(0);
    expect(discountsFor("nonsense", "default").size).toBe(0);
  });

  it("rejects an invalid table with a reason", () => {
    const wrong: [string, string][] = [
      ["{", "json_text"],
      ['{"10": 0}', "discount_range"],
      ['{"10": 1.1}', "discount_range"],
      ['{"10": -0.5}', "discount_range"],
      ['{"ten": 0.9}', "discount_amount"],
      ['{"1.5": 0.9}', "discount_amount"],
      ['{"2000000": 0.9}', "discount_amount"],
      ['{"vip": {"ten": 0.9}}', "discount_amount"],
      ['{"vip": {"10": 2}}', "discount_range"],
    ];
    for (const [text, reason] of wrong) {
      const [issue] = DiscountText.safeParse(text).error?.issues ?? [];
      expect(issue?.message, text).toBe(reason);
    }
    for (const text of ["", "{}", '{"10":0.9}', '{"vip":{"10":0.5}}']) {
      expect(DiscountText.safeParse(text).success, text).toBe(true);
    }
  });
});
