import { describe, expect, it } from "vitest";
import { fromRatio, type RateUnit, toRatio } from "./rate-units.ts";

const unit = (
  currency: RateUnit["currency"],
  scale: RateUnit["scale"],
  perCall = false,
  cnyPerUsd = 7,
): RateUnit => ({ currency, scale, perCall, cnyPerUsd });

describe("a ratio as money", () => {
  it("is $2 or ￥14 per million tokens, and a thousandth per thousand", () => {
    expect(fromRatio(1, unit("usd", "M"))).toBe(2);
    expect(fromRatio(1, unit("rmb", "M"))).toBe(14);
    expect(fromRatio(1, unit("rmb", "M", false, 7.3))).toBe(14.6);
    expect(fromRatio(15, unit("usd", "K"))).toBe(0.03);
    expect(fromRatio(0.3, unit("rate", "M"))).toBe(0.3);
  });

  it("does not depend on the scale for a call", () => {
    expect(fromRatio(20, unit("usd", "M", true))).toBe(0.04);
    expect(fromRatio(20, unit("usd", "K", true))).toBe(0.04);
  });

  it("is converted back without loss", () => {
    for (const currency of ["rate", "usd", "rmb"] as const)
      for (const scale of ["K", "M"] as const)
        for (const ratio of [0, 0.0375, 0.1, 1.25, 2.5, 75, 12_345.678])
          expect(toRatio(fromRatio(ratio, unit(currency, scale)), unit(currency, scale))).toBe(ratio);
  });
});
