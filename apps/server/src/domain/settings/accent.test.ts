import { wcagContrast } from "culori";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accentMark, accentPreview, accentSheet, mailAccent } from "./accent.ts";

const anyColor = fc
  .integer({ min: 0, max: 0xff_ff_ff })
  .map((number) => `#${number.toString(16).padStart(6, "0")}`);

/** Returns a soft colour of the dark scheme as seen on its surface. */
function onDark(rgba: string): string {
  const [r = 0, g = 0, b = 0, a = 0] = (rgba.match(/[\d.]+/g) ?? []).map(Number);
  const over = (value: number, under: number) => value * a + under * (1 - a);
  return `rgb(${over(r, 0x19)}, ${over(g, 0x1e)}, ${over(b, 0x27)})`;
}

/** Returns the variables of one block of a sheet. */
function block(sheet: string, selector: string): Map<string, string> {
  const body = sheet.split("\n").find((line) => line.startsWith(selector)) ?? "";
  const inner = body.slice(body.indexOf("{") + 1, -1);
  return new Map(inner.split(";").map((pair) => pair.split(/:(.*)/s).slice(0, 2) as [string, string]));
}

describe("an accent colour", () => {
  it("gives readable text and visible buttons in both schemes, whatever it is", () => {
    fc.assert(
      fc.property(anyColor, (accent) => {
        const { light, dark } = accentPreview(accent);
        const shades = block(accentSheet(accent), ":root:root{");
        const shade = (number: number) => shades.get(`--mantine-color-iris-${number}`) ?? "";
        const darker = block(accentSheet(accent), ':root:root[data-mantine-color-scheme="dark"]');
        const texts: [string, string][] = [
          ["#fff", light.filled],
          ["#fff", shade(7)],
          ["#fff", dark.filled],
          ["#fff", darker.get("--mantine-color-iris-filled-hover") ?? ""],
          [light.text, "#f7f8fa"],
          [light.text, light.soft],
          [light.text, shade(1)],
          [light.text, shade(2)],
          [dark.text, "#191e27"],
          [dark.text, onDark(dark.soft)],
          [shade(4), "#14181f"],
        ];
        for (const [text, ground] of texts) expect(wcagContrast(text, ground)).toBeGreaterThanOrEqual(4.5);
        expect(wcagContrast(light.filled, "#fff")).toBeGreaterThanOrEqual(3);
        expect(wcagContrast(dark.filled, "#14181f")).toBeGreaterThanOrEqual(3);
      }),
    );
  });

  it("is used as it is where white text on it is readable", () => {
    expect(accentPreview("#0b6b53").light.filled).toBe("#0b6b53");
    expect(mailAccent("#0b6b53")).toBe("#0b6b53");
    expect(accentMark("#0b6b53")).toContain('fill="#0b6b53"');
  });

  it("keeps the look of the product's own accent", () => {
    const { light, dark } = accentPreview("");
    expect(light.filled).toBe("#4650dc");
    for (const [one, own] of [
      [light.text, "#3a42be"],
      [light.soft, "#eff1fe"],
      [dark.text, "#a5aef7"],
      [dark.filled, "#5a65e6"],
    ] as const)
      expect(wcagContrast(one, own)).toBeLessThan(1.3);
  });
});
