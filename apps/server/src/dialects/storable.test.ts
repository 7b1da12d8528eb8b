import { expect, it } from "vitest";
import { storable, unstorableIn } from "./storable.ts";

it.each([
  ["a\0b", ""],
  ["\ud800", ""],
  [{ prompt: "ok", properties: { title: "x\udfff" } }, "properties.title"],
  [{ list: ["ok", { "a\0": 1 }] }, "list.1.a\0"],
])("finds text that cannot be stored: %j", (value, path) => {
  expect(unstorableIn(value)).toBe(path);
});

it("keeps storable text unchanged, and repairs the rest", () => {
  const fine = { a: ["ö", 1, null, true, "😀"] };
  expect(unstorableIn(fine)).toBeUndefined();
  expect(storable(fine)).toBe(fine);
  expect(storable({ "a\0": ["x\0y", "\ud800z", 5], b: null })).toEqual({ a: ["xy", "\ufffdz", 5], b: null });
});
