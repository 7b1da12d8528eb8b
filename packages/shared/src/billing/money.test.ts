import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatCost,
  formatNumber,
  formatPrice,
  formatQuota,
  pointsOf,
  POINTS_PER_USD,
  PRICE_CNY_PER_USD,
} from "./money.ts";

describe("formatPrice", () => {
  it("returns the translated word for Free at 0", () => {
    expect(formatPrice(0)).toBe("Free");
    expect(formatPrice(0, { freeWord: "免费" })).toBe("免费");
  });

  it("returns dollars and yuan per thousand or million tokens, with six digits and no trailing zeros", () => {
    expect(formatPrice(15)).toBe("$0.03 / ￥0.21");
    expect(formatPrice(2.5, { perMillion: true })).toBe("$5 / ￥35");
    expect(formatPrice(600, { perMillion: true })).toBe("$1200 / ￥8400");
    expect(formatPrice(1 / 3)).toBe("$0.000666667 / ￥0.00466667");
  });

  it("uses the rate of the site for yuan", () => {
    expect(formatPrice(2.5, { perMillion: true, cnyPerUsd: 7.3 })).toBe("$5 / ￥36.5");
    expect(formatPrice(1, { cnyPerUsd: PRICE_CNY_PER_USD })).toBe("$0.002 / ￥0.014");
  });
});

describe("formatCost", () => {
  it("returns dollars with at least two decimals", () => {
    expect([1.8, 0.0025, 1200].map(formatCost)).toEqual(["$1.80", "$0.0025", "$1,200.00"]);
  });
});

describe("formatQuota", () => {
  it("shortens to B, M and k with one decimal from ten thousand on", () => {
    expect([9_999, 10_000, 1_250_000, 2_000_000_000, -15_000].map(formatNumber)).toEqual([
      "9999",
      "10.0k",
      "1.3M",
      "2.0B",
      "−15.0k",
    ]);
  });

  it("returns dollars with two decimals where the site shows currency", () => {
    expect(formatQuota(750_000, { inCurrency: true })).toBe("$1.50");
    expect(formatQuota(-200, { inCurrency: true })).toBe("−<$0.01");
    expect(formatQuota(200, { inCurrency: true })).toBe("$0.00");
    expect(formatQuota(200, { inCurrency: true, marksSmall: true })).toBe("<$0.01");
    expect(formatQuota(0, { inCurrency: true, marksSmall: true })).toBe("$0.00");
    expect(formatQuota(-200, { inCurrency: true, digits: 6 })).toBe("−$0.000400");
    expect(formatQuota(0, { inCurrency: true })).toBe("$0.00");
    expect(formatQuota(-250_000, { inCurrency: true })).toBe("−$0.50");
    expect(formatQuota(750_000, { inCurrency: false })).toBe("750.0k");
  });

  it("separates thousands in the integer part only", () => {
    expect(formatQuota(499_995_000, { inCurrency: true })).toBe("$999.99");
    expect(formatQuota(500_000_000, { inCurrency: true })).toBe("$1,000.00");
    expect(formatQuota(-617_283_945_000, { inCurrency: true })).toBe("−$1,234,567.89");
    expect(formatQuota(617, { inCurrency: true, digits: 6 })).toBe("$0.001234");
    expect(formatQuota(500_000_000, { inCurrency: true, digits: 0 })).toBe("$1,000");
  });

  it("converts back from dollars to the same points", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -1e12, max: 1e12 }),
        (points) => pointsOf(points / POINTS_PER_USD) === points,
      ),
    );
  });
});
