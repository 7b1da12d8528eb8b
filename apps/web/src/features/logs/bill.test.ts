import { describe, expect, it } from "vitest";
import { cachedShare, explainLines, multiply } from "./bill.ts";

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
  it("says what each line costs, the group's ratio included", () => {
    expect(explainLines(bill).map((line) => line.points)).toEqual(["1200", "360", "1.2"]);
  });

  it("is exact where floating point is not", () => {
    expect(multiply("0.1", "0.2")).toBe("0.02");
    expect(multiply("12345678901", "0.000000001")).toBe("12.345678901");
    expect(multiply("1000000", "0.0000000000000000001")).toBe("0.0000000000001");
  });

  it("knows which share of the input came from a cache", () => {
    expect(cachedShare(bill, 12_000)).toBe(0.75);
    expect(cachedShare(bill, 0)).toBe(0);
    expect(cachedShare(null, 10)).toBe(0);
  });
});
