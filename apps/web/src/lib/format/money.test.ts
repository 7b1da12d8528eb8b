import i18next from "i18next";
import { beforeAll, expect, it } from "vitest";
import { moneyText } from "./money.ts";

beforeAll(() => i18next.init({ lng: "en_US" }));

it.each([
  ["730.00 CNY", "¥730.00"],
  ["1234.5 USD", "$1,234.50"],
  ["730.00", "730.00"],
  ["–", "–"],
])("formats a stored amount: %s", (stored, shown) => {
  expect(moneyText(stored)).toBe(shown);
});
