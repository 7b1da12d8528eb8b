import { DiscountText, discountsFor } from "@gateway/shared/billing/discount";
import { expect, it } from "vitest";
import { type Discount, isDuplicate, readDiscounts, writeDiscounts } from "./discounts.ts";

const rows: Discount[] = [
  { group: "", amount: 100, off: 10 },
  { group: "", amount: 500, off: 12.5 },
  { group: "vip", amount: 100, off: 20 },
];

it("discounts: rows are stored as the table of the server, and read back", () => {
  const text = writeDiscounts(rows);
  expect(DiscountText.safeParse(text).success).toBe(true);
  expect(readDiscounts(text)).toEqual(rows);
  expect([...discountsFor(text, "vip")]).toEqual([
    [100, 0.8],
    [500, 0.875],
  ]);
});

it("discounts: every percentage with two decimals survives", () => {
  for (let hundredths = 0; hundredths < 10_000; hundredths += 7) {
    const row = { group: "", amount: 5, off: hundredths / 100 };
    expect(readDiscounts(writeDiscounts([row]))).toEqual([row]);
  }
});

it("discounts: incomplete rows are not stored, and no rows are no text", () => {
  expect(writeDiscounts([{ group: "vip", amount: undefined, off: 5 }])).toBe("");
  expect(readDiscounts("")).toEqual([]);
});

it("discounts: text that is no table is not read", () => {
  for (const text of ["[1]", "5", "{", "null"]) expect(readDiscounts(text), text).toBeUndefined();
});

it("discounts: names the row that would replace another", () => {
  const [first] = rows as [Discount];
  expect(isDuplicate([...rows, first], 3)).toBe(true);
  expect(rows.map((_, place) => isDuplicate(rows, place))).toEqual([false, false, false]);
});
