import { describe, expect, it } from "vitest";
import { cachedShare } from "#lib/cached-share.ts";
import { alignDecimals, costsOf, explainLines, multiply, marksEffect } from "./bill.ts";

const bill = {
  price_type: "tokens",
  group_ratio: "0.8",
  lines: [
    { kind: "input", amount: 3000, ratio: "0.5" },
    { kind: "cached_read_tokens", amount: 9000, ratio: "0.05" },
    { kind: "output", amount: 1, ratio: "1.5" },
  ],
  exact: "1561.2",
};

describe("a bill explained", () => {
  it("returns the cost of each line, including the group's ratio", () => {
    expect(explainLines(bill).map((line) => line.points)).toEqual(["1200", "360", "1.2"]);
  });

  it("aligns the decimals of a column", () => {
    expect(alignDecimals(["1200", "360", "1.2"])).toEqual(["1200.0", "360.0", "1.2"]);
    expect(alignDecimals(["3", "40"])).toEqual(["3", "40"]);
    expect(alignDecimals(["3"], 2)).toEqual(["3.00"]);
  });

  it("is exact where floating point is not", () => {
    expect(multiply("0.1", "0.2")).toBe("0.02");
    expect(multiply("12345678901", "0.000000001")).toBe("12.345678901");
    expect(multiply("1000000", "0.0000000000000000001")).toBe("0.0000000000001");
  });

  it("computes the share of the input that came from a cache", () => {
    expect(cachedShare(bill, 12_000)).toBe(0.75);
    expect(cachedShare(bill, 0)).toBe(0);
    expect(cachedShare(null, 10)).toBe(0);
  });
});

describe("the marks of a prompt cache", () => {
  const lines = [
    { kind: "input", amount: 100, ratio: "2" },
    { kind: "cached_read_tokens", amount: 1_000, ratio: "0.2" },
    { kind: "cached_write_tokens", amount: 400, ratio: "2.5" },
  ];
  const bill = { price_type: "tokens", group_ratio: "0.5", exact: "1", marks: 2 };

  it("cost what writes cost above input, and save what reads cost below it", () => {
    const { extra, saved } = marksEffect({ ...bill, lines })!;
    expect(extra).toBeCloseTo(400 * 0.5 * 0.5);
    expect(saved).toBeCloseTo(1_000 * 1.8 * 0.5);
  });

  it("have no known effect without a ratio of input", () => {
    expect(marksEffect({ ...bill, lines: lines.slice(1) })).toBeUndefined();
  });
});

describe("the costs of a bill", () => {
  it("are dollars with equal decimals, with the group's ratio in price and cost", () => {
    const bill = {
      price_type: "tokens",
      group_ratio: "0.5",
      exact: "1151.5",
      lines: [
        { kind: "input", amount: 3_000, ratio: "0.5" },
        { kind: "output", amount: 801, ratio: "1.5" },
        { kind: "tool:web-search", amount: 2, ratio: "5000" },
      ],
    };
    expect(costsOf(bill, 500_000).lines).toEqual([
      { kind: "input", amount: 3_000, perCall: false, price: "0.500", cost: "0.0015000" },
      { kind: "output", amount: 801, perCall: false, price: "1.500", cost: "0.0012015" },
      { kind: "tool:web-search", amount: 2, perCall: true, price: "0.005", cost: "0.0100000" },
    ]);
  });

  it("and the rounding add up to the charge", () => {
    const tokens = { price_type: "tokens", group_ratio: "1", exact: "475.5" };
    const lines = [
      { kind: "input", amount: 17, ratio: "1.5" },
      { kind: "output", amount: 60, ratio: "7.5" },
    ];
    const costs = costsOf({ ...tokens, lines }, 500_000);
    expect(costs.lines.map(({ cost }) => cost)).toEqual(["0.000051", "0.000900"]);
    expect([costs.rounded(476), costs.print(476)]).toEqual(["0.000001", "0.000952"]);
    expect(
      costsOf({ ...tokens, lines: [{ kind: "input", amount: 2, ratio: "1.5" }] }, 500_000).rounded(3),
    ).toBe("");
  });

  it("have the same decimals as the total below them", () => {
    const tokens = { price_type: "tokens", group_ratio: "0.33", exact: "1" };
    const lines = [
      { kind: "input", amount: 7, ratio: "0.125" },
      { kind: "output", amount: 1_000_000, ratio: "5" },
    ];
    const costs = costsOf({ ...tokens, lines }, 500_000);
    const decimals = (text: string) => text.split(".")[1]?.length;
    const shown = [...costs.lines.map((line) => line.cost), costs.print(1_650_001), costs.print(0)];
    expect(new Set(shown.map(decimals)).size).toBe(1);
    expect(Number(costs.print(1_650_001))).toBe(3.300002);
    expect(new Set(costs.lines.map((line) => decimals(line.price))).size).toBe(1);
  });

  it("have at least the decimals of a point", () => {
    const bill = {
      price_type: "times",
      group_ratio: "1",
      exact: "500000",
      lines: [{ kind: "calls", amount: 1, ratio: "500000" }],
    };
    expect(costsOf(bill, 500_000).lines).toEqual([
      { kind: "calls", amount: 1, perCall: true, price: "1.00", cost: "1.000000" },
    ]);
  });
});
