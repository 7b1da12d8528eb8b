import { expect, it } from "vitest";
import { readReason, type ReasonName, reasonOf, reasons } from "./reasons.ts";

const names = Object.keys(reasons) as ReasonName[];

it.each(names)("reasons: the sentence of %s is found again with its values", (name) => {
  const keys = [...reasons[name].matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1] ?? "");
  const values = Object.fromEntries(keys.map((key, index) => [key, `value ${index} (1.5)\nand more`]));
  // The values are those of this name; one call for all names cannot show that to the compiler.
  const text = (reasonOf as (name: string, values: object) => string)(name, values);
  expect(text).not.toContain("{{");
  expect(readReason(text)).toEqual({ template: reasons[name], values });
});

it("reasons: a text that no template fits is left to the caller", () => {
  expect(readReason("Because.")).toBeUndefined();
  expect(readReason("Invited ")).toBeUndefined();
});

it("reasons: a value that looks like a placeholder stays as it is", () => {
  expect(reasonOf("invited", { name: "{{name}} $& $1" })).toBe("Invited {{name}} $& $1");
});
