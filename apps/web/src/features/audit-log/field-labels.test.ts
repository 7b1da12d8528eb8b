import { TokenInput } from "@gateway/shared/accounts/token";
import { UserInput } from "@gateway/shared/accounts/user";
import { ChannelInput } from "@gateway/shared/channels/channel";
import { UserGroupInput } from "@gateway/shared/channels/group";
import type { TFunction } from "i18next";
import { expect, it } from "vitest";
import { fieldLabel, targetName } from "./field-labels.ts";

const t = ((key: string) => `<${key}>`) as unknown as TFunction;

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
