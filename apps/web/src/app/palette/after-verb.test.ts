import { expect, it } from "vitest";
import { afterVerb } from "./after-verb.ts";

const verbs = ["disable", "禁用"];

it.each([
  ["disable gpt", "gpt"],
  ["Disable GPT-5 everywhere", "GPT-5"],
  ["禁用gpt-5", "gpt-5"],
  ["禁用 gpt-5", "gpt-5"],
])("%s names %s", (text, name) => {
  expect(afterVerb(text, verbs)).toBe(name);
});

it.each(["disable", "disable ", "disabled gpt", "gpt disable", "", "禁用"])("%j names nothing", (text) => {
  expect(afterVerb(text, verbs)).toBeUndefined();
});
