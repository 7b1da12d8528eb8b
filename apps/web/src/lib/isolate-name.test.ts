import { expect, it } from "vitest";
import { isolateName } from "./isolate-name.ts";

it.each([
  ["OpenAI main", "OpenAI main"],
  ["渠道 1", "渠道 1"],
  ["\u202Egnp.exe", "\u2068\u202Egnp.exe\u2069"],
  ["\u2069\u202Egnp", "\u2068\u202Egnp\u2069"],
  ["مرحبا", "\u2068مرحبا\u2069"],
  ["שלום", "\u2068שלום\u2069"],
])("a name is isolated only when it could reorder the sentence: %j", (name, text) => {
  expect(isolateName(name)).toBe(text);
});
