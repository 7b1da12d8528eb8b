import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatCents, type OrderTerms, parseCents, priceOrder } from "./order-price.ts";

const plain: OrderTerms = {
  amount: 10,
  discount: 1,
  fixed_fee: 0,
  percent_fee: 0,
  currency: "USD",
  usd_rate: 7.3,
};

function shown(terms: Partial<OrderTerms>) {
  const price = priceOrder({ ...plain, ...terms });
  return Object.fromEntries(
    Object.entries(price).map(([name, cents]) => [name, formatCents(cents as bigint)]),
  );
}

describe("price of a top-up", () => {
  it("equals (value × discount + value × discount × fee rate) × rate", () => {
    expect(shown({ amount: 100, discount: 0.9, percent_fee: 0.05, currency: "CNY" })).toEqual({
      amount: "100.00",
      discount: "10.00",
      fee: "4.50",
      usd: "94.50",
      total: "689.85",
    });
  });

  it("adds a fixed fee per order to the percentage", () => {
    expect(shown({ fixed_fee: 0.3, percent_fee: 0.029 })).toMatchObject({ fee: "0.59", total: "10.59" });
    expect(shown({ fixed_fee: 0.3 })).toMatchObject({ fee: "0.30", total: "10.30" });
  });

  it("rounds halves up where floats would be wrong", () => {
    // 1.005 × 100 is 100.49999… as a float.
    expect(shown({ amount: 1, usd_rate: 1.005, currency: "CNY" })).toMatchObject({ total: "1.01" });
    expect(shown({ amount: 1, discount: 0.335, percent_fee: 0 })).toMatchObject({ total: "0.34" });
  });

  it("stays exact up to the largest top-up", () => {
    expect(shown({ amount: 1_000_000, usd_rate: 7.123456, currency: "CNY" })).toMatchObject({
      total: "7123456.00",
    });
  });

  it("has lines that add up, and is never negative", () => {
    const ratio = (most: number, digits: number) =>
      fc.integer({ min: 0, max: most * 10 ** digits }).map((value) => value / 10 ** digits);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        ratio(1, 4),
        ratio(100, 2),
        ratio(1, 4),
        ratio(1_000, 6),
        (amount, discount, fixed_fee, percent_fee, usd_rate) => {
          const terms = { amount, discount, fixed_fee, percent_fee, usd_rate };
          const dollars = priceOrder({ ...terms, currency: "USD" });
          expect(dollars.amount - dollars.discount + dollars.fee).toBe(dollars.usd);
          expect(dollars.total).toBe(dollars.usd);
          const exact = Number(dollars.usd) * usd_rate;
          const yuan = priceOrder({ ...terms, currency: "CNY" });
          expect(Math.abs(Number(yuan.total) - exact)).toBeLessThanOrEqual(0.5 + exact * 1e-12);
          for (const cents of Object.values(yuan) as bigint[]) expect(cents >= 0n).toBe(true);
        },
      ),
    );
  });
});

describe("cents", () => {
  it("parses and formats without loss, and rejects other text", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 13n }), (cents) => {
        expect(parseCents(formatCents(cents))).toBe(cents);
      }),
    );
    expect(parseCents("10")).toBe(1_000n);
    expect(parseCents("10.5")).toBe(1_050n);
    expect(parseCents("10.5000")).toBe(1_050n);
    for (const text of ["", "-1.00", "1.005", "1e3", "１", "0x10", " 1", "1.", ".5", "NaN"]) {
      expect(parseCents(text), text).toBeUndefined();
    }
  });
});
