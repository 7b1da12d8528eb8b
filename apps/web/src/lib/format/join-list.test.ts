import i18next from "i18next";
import { expect, it } from "vitest";
import { joinList } from "./join-list.ts";

it.each([
  ["en_US", "a, b, c"],
  ["zh_CN", "a、b、c"],
  ["zh_HK", "a、b、c"],
  ["ja_JP", "a、b、c"],
])("joins a list as %s does", async (language, text) => {
  await i18next.init({ lng: language });
  expect(joinList(["a", "b", "c"])).toBe(text);
});
