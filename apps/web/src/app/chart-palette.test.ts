import { DEFAULT_THEME } from "@mantine/core";
import { describe, expect, it } from "vitest";
import { cssVariables } from "./theme.ts";

type Rgb = [number, number, number];

/** Matrices of severe colour vision deficiencies in linear RGB: Machado, Oliveira and Fernandes (2009). */
const sights = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanope: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranope: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
} satisfies Record<string, [Rgb, Rgb, Rgb]>;

const dot = (a: Rgb, b: Rgb) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

function linear(hex: string): Rgb {
  const part = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [part(1), part(3), part(5)];
}

const luminance = (hex: string) => dot(linear(hex), [0.2126, 0.7152, 0.0722]);

function lab(color: Rgb): Rgb {
  const f = (value: number) => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116);
  const x = f(dot(color, [0.4124, 0.3576, 0.1805]) / 0.95047);
  const y = f(dot(color, [0.2126, 0.7152, 0.0722]));
  const z = f(dot(color, [0.0193, 0.1192, 0.9505]) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function seenAs(hex: string, [red, green, blue]: [Rgb, Rgb, Rgb]): Rgb {
  const color = linear(hex);
  const clamp = (value: number) => Math.min(1, Math.max(0, value));
  return lab([clamp(dot(red, color)), clamp(dot(green, color)), clamp(dot(blue, color))]);
}

describe.each(["light", "dark"] as const)("the colours of charts and controls, %s", (scheme) => {
  const variables = cssVariables(DEFAULT_THEME)[scheme];
  const colors = [1, 2, 3, 4, 5, 6].map((slot) => variables[`--chart-${slot}`] ?? "");

  it("leave the borders of empty checkboxes visible", () => {
    const [line, surface] = [variables["--control-line"] ?? "", variables["--surface"] ?? ""];
    const [low, high] = [luminance(line), luminance(surface)].toSorted((a, b) => a - b);
    expect(((high ?? 0) + 0.05) / ((low ?? 0) + 0.05)).toBeGreaterThanOrEqual(3);
  });

  it("are ordered by lightness", () => {
    const lightness = colors.map((color) => lab(linear(color))[0]);
    expect(lightness).toEqual(lightness.toSorted((a, b) => a - b));
  });

  it("have a contrast of 3 to 1 on the surface", () => {
    const surface = luminance(variables["--surface"] ?? "");
    for (const color of colors) {
      const [low = 0, high = 0] = [luminance(color), surface].toSorted((a, b) => a - b);
      expect((high + 0.05) / (low + 0.05), color).toBeGreaterThanOrEqual(3);
    }
  });

  it.each(Object.entries(sights))("of failed and successful calls differ: %s", (_sight, matrix) => {
    const failed = variables["--chart-failed"] ?? "";
    // Failed calls are stacked on the first series.
    expect(
      Math.hypot(...difference(seenAs(failed, matrix), seenAs(colors[0] ?? "", matrix))),
    ).toBeGreaterThan(30);
  });

  it.each(Object.entries(sights))("differ in every pair: %s", (_sight, matrix) => {
    for (const [index, one] of colors.entries())
      for (const other of colors.slice(index + 1)) {
        expect(
          Math.hypot(...difference(seenAs(one, matrix), seenAs(other, matrix))),
          `${one} ${other}`,
        ).toBeGreaterThan(15);
      }
  });
});

const difference = (a: Rgb, b: Rgb): Rgb => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
