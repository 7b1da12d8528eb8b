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
  expect(fieldLabel(t, "price", "extra_ratios.cached_tokens")).toBe("<Cached input>");
  expect(fieldLabel(t, "mcp_bundle", "deny.0")).toBe("<Denied tools> · 1");
  expect(fieldLabel(t, "mcp_server", "tool_prices.1.price")).toBe("<Prices of tools> · 2 · <Price>");
  expect(fieldLabel(t, "user_group", "monthly_notify")).toBe("<Monthly notice>");
  expect(fieldLabel(t, "constructor", "constructor")).toBe("constructor");
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
  expect(text("user_group", "monthly_spend", 50_000_000)).toBe("$100.00");
  expect(text("user", "budget.daily_spend", 0)).toBe("<No limit>");
  expect(text("user", "daily_notify", 0)).toBe("<No notice>");
});

it("shows what a number stands for", () => {
  const text = (type: string, path: string, value: unknown) =>
    fieldValue({ t, format: { pointsPerUsd: 500_000, exact: String } }, type, path, value);
  expect(text("user", "role", 10)).toBe("<Administrator>");
  expect(text("channel", "status", 3)).toBe("<Disabled automatically>");
  expect(text("token", "status", 2)).toBe("<Disabled>");
  expect(text("token", "setting.cache.enabled", true)).toBe("<on>");
  expect(text("channel", "priority", 2)).toBe("2");
  expect(text("redemption", "status", 3)).toBe("<Redeemed>");
  expect(text("order", "status", "constructor")).toBe("constructor");
  expect(text("order", "status", "success")).toBe("<Paid>");
  expect(text("price", "price.type", "times")).toBe("<per call>");
  expect(text("token", "expired_time", -1)).toBe("<Never>");
  expect(text("mcp_bundle", "created_time", "2026-11-29T10:00:00.000Z")).toMatch(/2026/);
});
