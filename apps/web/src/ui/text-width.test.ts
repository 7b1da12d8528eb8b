import { expect, it } from "vitest";
import { fitsIn } from "./text-width.ts";

it("a short text fits, a long one may not", () => {
  expect(fitsIn("", 130)).toBe(true);
  expect(fitsIn("seed channel 20", 130)).toBe(true);
  expect(fitsIn("claude-sonnet-4-5-20250929", 130)).toBe(false);
});

it("wide characters count as wide", () => {
  expect(fitsIn("mmmmmmmmm", 130)).toBe(true);
  expect(fitsIn("mmmmmmmmmm", 130)).toBe(false);
  expect(fitsIn("生产环境的模型服务", 130)).toBe(true);
  expect(fitsIn("生产环境的模型服务商", 130)).toBe(false);
});
