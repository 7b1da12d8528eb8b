import { describe, expect, it } from "vitest";
import { discountsFor, DiscountText } from "./discount.ts";

describe("the table of discounts", () => {
  it("is for exact amounts, and a group's own ratio wins", () => {
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

  it("is refused with a sentence that says what to mend", () => {
    const wrong: [string, RegExp][] = [
      ["{", /JSON/],
      ['{"10": 0}', /above 0/],
      ['{"10": 1.1}', /at most 1/],
      ['{"10": -0.5}', /above 0/],
      ['{"ten": 0.9}', /whole dollars/],
      ['{"1.5": 0.9}', /whole dollars/],
      ['{"2000000": 0.9}', /whole dollars/],
      ['{"vip": {"ten": 0.9}}', /whole dollars/],
      ['{"vip": {"10": 2}}', /at most 1/],
    ];
    for (const [text, sentence] of wrong) {
      const [issue] = DiscountText.safeParse(text).error?.issues ?? [];
      expect(issue?.message, text).toMatch(sentence);
    }
    for (const text of ["", "{}", '{"10":0.9}', '{"vip":{"10":0.5}}']) {
      expect(DiscountText.safeParse(text).success, text).toBe(true);
    }
  });
});
