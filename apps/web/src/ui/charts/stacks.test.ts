import { describe, expect, it } from "vitest";
import { othersKey, stack, tickDigits, topOf } from "./stacks.ts";

const part = (date: string, name: string, value: number) => ({ date, name, value });

describe("stacks", () => {
  it("keep as many of the largest names as there are colours and sum the rest", () => {
    const parts = Array.from({ length: 10 }, (_, index) => part("2026-03-01", `m${index}`, 10 - index));
    const { series, rows } = stack(parts, ["2026-03-01"]);
    expect(series).toHaveLength(7);
    expect(series[0]).toBe("m0");
    expect(rows[0]?.[othersKey]).toBe(4 + 3 + 2 + 1);
    expect(topOf({ series, rows })).toBe(55);
  });

  it("leave out names without a value on the shown days, and keep days without values", () => {
    const { series, rows } = stack(
      [part("2026-03-01", "a", 0), part("2020-01-01", "b", 9)],
      ["2026-03-01", "2026-03-02"],
    );
    expect(series).toEqual([]);
    expect(rows).toEqual([{ date: "2026-03-01" }, { date: "2026-03-02" }]);
  });

  it("show unnamed parts as the others, however few the names", () => {
    const { series } = stack([part("d", "a", 1), part("d", othersKey, 100)], ["d"]);
    expect(series).toEqual(["a", othersKey]);
  });

  it("give an axis enough digits to keep its ticks apart", () => {
    expect([0, 250, 1.2, 0.9].map(tickDigits)).toEqual([2, 2, 2, 2]);
    expect(tickDigits(0.1)).toBe(3);
    expect(tickDigits(0.02)).toBe(4);
    expect(tickDigits(0.000_02)).toBe(6);
  });
});
