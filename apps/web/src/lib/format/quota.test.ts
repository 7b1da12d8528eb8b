import i18next from "i18next";
import { describe, expect, it } from "vitest";
import {
  chargeText,
  columnText,
  decimalsOf,
  exactText,
  formatDuration,
  formatRelative,
  quotaText,
  shareText,
  shortText,
  SUM_DECIMALS,
} from "./quota.ts";

describe("amounts", () => {
  const dollars = { inCurrency: true, pointsPerUsd: 500_000 };
  const points = { inCurrency: false, pointsPerUsd: 500_000 };

  it("quotaText: shows dollars with two decimals at any size", () => {
    const shown = [0, 1, 1_576, 2_500, 617_000, -250_000, 617_283_945_000].map((each) =>
      quotaText(each, dollars),
    );
    expect(shown).toEqual(["$0.00", "<$0.01", "<$0.01", "$0.01", "$1.23", "−$0.50", "$1,234,567.89"]);
  });

  it("quotaText: shortens points from ten thousand on, with one decimal", () => {
    const shown = [0, 9_999, 10_000, 999_940, 1_000_000, 2_340_000_000, -56_700].map((each) =>
      quotaText(each, points),
    );
    expect(shown).toEqual(["0", "9999", "10.0k", "999.9k", "1.0M", "2.3B", "−56.7k"]);
  });

  it("chargeText and exactText: do not round away a single point", () => {
    expect([1, 3_152, 500_000].map((each) => chargeText(each, dollars))).toEqual([
      "$0.000002",
      "$0.006304",
      "$1.000000",
    ]);
    expect([1, 2_500, 500_000].map((each) => exactText(each, dollars))).toEqual([
      "$0.000002",
      "$0.005",
      "$1.00",
    ]);
    expect(exactText(1_234_567, points)).toBe("1,234,567");
  });

  const column = (amounts: number[], decimals = decimalsOf(amounts, dollars.pointsPerUsd)) => {
    return amounts.map((each) => columnText(each, decimals, dollars));
  };

  it("a column of charges: all have the decimals that the smallest one needs, two to six", () => {
    expect(column([620_000, 262_050, 0])).toEqual(["$1.24", "$0.52", "$0.00"]);
    expect(column([3_951, 262_050])).toEqual(["$0.0079", "$0.5241"]);
    expect(column([5_000, 70_000])).toEqual(["$0.01", "$0.14"]);
    expect(column([0])).toEqual(["$0.00"]);
    expect(column([])).toEqual([]);
  });

  it("a column of balances has two decimals, and marks what they hide", () => {
    expect(column([61_000_000, 3_951, 5, -5], SUM_DECIMALS)).toEqual([
      "$122.00",
      "$0.01",
      "<$0.01",
      "−<$0.01",
    ]);
    expect(column([1, 3_152], SUM_DECIMALS)).toEqual(["<$0.01", "$0.01"]);
  });

  it("a column of charges: a large one leaves less space for decimals", () => {
    expect(column([61_000_000, 5])).toEqual(["$122.00000", "$0.00001"]);
    expect(column([5_000_000_000, 5])).toEqual(["$10,000.000", "<$0.001"]);
  });

  it("a column of points shows all of them, because shortened numbers have different decimals", () => {
    expect([9_999, 56_700].map((each) => columnText(each, 2, points))).toEqual(["9,999", "56,700"]);
  });
});

it("never shows sixty seconds in place of a minute", () => {
  expect([380, 1_234, 59_940, 59_999, 65_000, 119_700, 3_599_600, 19_996_000].map(formatDuration)).toEqual([
    "380 ms",
    "1.23 s",
    "59.9 s",
    "1 m 0 s",
    "1 m 5 s",
    "2 m 0 s",
    "1 h 0 m",
    "5 h 33 m",
  ]);
});

it("shortens numbers from ten thousand on, and separates the thousands of others", () => {
  const whole = new Intl.NumberFormat("en-US");
  const shown = [3, 3_000, 9_999, 10_000, 1_250_000].map((value) => shortText(value, whole));
  expect(shown).toEqual(["3", "3,000", "9,999", "10k", "1.3M"]);
});

describe("shares", () => {
  const percent = new Intl.NumberFormat("en-US", { style: "percent", maximumFractionDigits: 1 });

  it("of nothing are a dash, and of something a percentage, also 0%", () => {
    const shown = [null, 0 / 0, 0 / 5, 0.125, 1].map((share) => shareText(share, percent));
    expect(shown).toEqual(["–", "–", "0%", "12.5%", "100%"]);
  });
});

describe("a negative amount", () => {
  const dollars = { inCurrency: true, pointsPerUsd: 500_000 };
  const points = { inCurrency: false, pointsPerUsd: 500_000 };

  it("has a minus sign, never a hyphen", () => {
    const percent = new Intl.NumberFormat("en-US", { style: "percent" });
    const shown = [dollars, points].flatMap((unit) =>
      [-1, -20_000, -750_000_000].flatMap((amount) => [
        quotaText(amount, unit),
        chargeText(amount, unit),
        exactText(amount, unit),
        columnText(amount, 4, unit),
      ]),
    );
    for (const text of [...shown, shareText(-0.5, percent)]) expect(text).toMatch(/^−[^-]+$/);
  });
});

it.each([
  ["en_US", "3 minutes ago", "in 5 months"],
  ["zh_CN", "3 分钟前", "5 个月后"],
  ["ja_JP", "3 分前", "5 か月後"],
])("formatRelative: has a space between the number and its unit in %s", async (language, past, future) => {
  await i18next.init({ lng: language });
  expect(formatRelative(1_000_000 - 180, 1_000_000_000)).toBe(past);
  expect(formatRelative(1_000_000 + 5 * 2_592_000, 1_000_000_000)).toBe(future);
});

it("formatRelative: rounds what is to come, and counts whole units that have passed", async () => {
  await i18next.init({ lng: "en_US" });
  const day = 86_400;
  expect(formatRelative(1_000_000 + day - 2, 1_000_000_000)).toBe("in 24 hours");
  expect(formatRelative(1_000_000 - day + 2, 1_000_000_000)).toBe("23 hours ago");
});
