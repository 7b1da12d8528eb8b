import { TokenInput } from "@gateway/shared/accounts/token";
import { UserInput } from "@gateway/shared/accounts/user";
import { ChannelInput } from "@gateway/shared/channels/channel";
import { UserGroupInput } from "@gateway/shared/channels/group";
import { expect, it } from "vitest";
import { translateWith } from "#lib/translate.fixture.ts";
import { fieldLabel, fieldValue, targetName } from "./field-labels.ts";

const t = translateWith((key: string) => `<${key}>`);

it("is what the form of the object calls the field", () => {
  expect(fieldLabel(t, "channel", "base_url")).toBe("<API address>");
  expect(fieldLabel(t, "channel", "models.3")).toBe("<Models> · 4");
  expect(fieldLabel(t, "channel", "model_mapping.gpt-4.1")).toBe("<Model mapping> · gpt-4.1");
  expect(fieldLabel(t, "token", "setting.rates.concurrency")).toBe("<Concurrent requests>");
  expect(fieldLabel(t, "user", "permissions.logs")).toBe("<All users' logs>");
  expect(fieldLabel(t, "setting", "value")).toBe("<Value>");
  expect(fieldLabel(t, "price", "extra.cached")).toBe("extra.cached");
  expect(fieldLabel(t, "constructor", "constructor")).toBe("constructor");
});

it.each([
  ["channel", ChannelInput],
  ["token", TokenInput],
  ["user", UserInput],
  ["user_group", UserGroupInput],
] as const)("has a label for every field of a %s", (type, input) => {
  // The settings of a token have labels of their own; the mode says how keys are replaced and is not stored.
  const fields = Object.keys(input.shape).filter((field) => !["setting", "key_mode"].includes(field));
  expect(fields.filter((field) => fieldLabel(t, type, field) === field)).toEqual([]);
});

it("names a setting by its section and label", () => {
  const settings = { RetryTimes: { section: "Retries", label: "Additional attempts" } };
  const row = { target_type: "setting", target_id: "RetryTimes", target_name: "" };
  expect(targetName(t, row, settings)).toBe("<Retries> · <Additional attempts>");
  expect(targetName(t, { ...row, target_id: "NoLonger" }, settings)).toBe("");
  expect(targetName(t, { ...row, target_type: "user", target_name: "penny" }, settings)).toBe("penny");
});

it("shows amounts as amounts, not as points", () => {
  const format = { pointsPerUsd: 500_000, exact: (points: number) => `${points} as an amount` };
  const text = (type: string, path: string, value: unknown) => fieldValue({ t, format }, type, path, value);
  expect(text("user", "quota", 500_000)).toBe("500000 as an amount");
  expect(text("token", "setting.rates.daily_spend", 1_250_000)).toBe("$2.50");
  expect(text("token", "setting.rates.concurrency", 5)).toBe("5");
  expect(text("user", "quota", undefined)).toBe("");
});

it("shows what a number stands for", () => {
  const text = (type: string, path: string, value: unknown) =>
    fieldValue({ t, format: { pointsPerUsd: 500_000, exact: String } }, type, path, value);
  expect(text("user", "role", 10)).toBe("<Administrator>");
  expect(text("channel", "status", 3)).toBe("<Disabled automatically>");
  expect(text("token", "status", 2)).toBe("<Disabled>");
  expect(text("token", "setting.cache.enabled", true)).toBe("<on>");
  expect(text("channel", "priority", 2)).toBe("2");
});
