/** Labels and values of changed fields, as on the forms of their objects. */
import { roleName } from "@gateway/shared/accounts/roles";
import { TokenStatus } from "@gateway/shared/accounts/token-status";
import { UserStatus } from "@gateway/shared/accounts/user-status";
import { ChannelStatus } from "@gateway/shared/channels/channel-status";
import { lookupTable } from "@gateway/shared/lookup-table";
import type { AuditRow } from "@gateway/shared/usage/audit";
import type { TFunction } from "i18next";
import { roleTitles } from "#components/role-badge.tsx";
import { exactText, formatTime, type Formatters } from "#lib/format/quota.ts";
import { phrasesIn } from "#lib/i18n.ts";
import { channelFieldNames } from "#lib/labels/channel-fields.ts";
import { areaTitles } from "#lib/labels/rights.ts";
import { formatValue } from "./diff.ts";

const phrase = phrasesIn("audit-log");

type Labels = Readonly<Record<string, string>>;

const common = {
  id: phrase("ID"),
  name: phrase("Name"),
  group: phrase("Group"),
  status: phrase("Status"),
  created_time: phrase("Created"),
};

const labelsOf = lookupTable<Labels>({
  channel: lookupTable({ ...common, ...channelFieldNames, key_hints: phrase("API keys") }),
  token: lookupTable({
    ...common,
    user_id: phrase("User ID"),
    key_hint: phrase("Key"),
    accessed_time: phrase("Last used"),
    expired_time: phrase("Expires"),
    unlimited_quota: phrase("No limit"),
    remain_quota: phrase("Quota"),
    used_quota: phrase("Used"),
    backup_group: phrase("Backup group"),
    billing_tag: phrase("Billing tag"),
    device_name: phrase("Device"),
    previous_key: phrase("Previous key"),
    "previous_key.hint": phrase("Previous key"),
    "previous_key.until": phrase("The previous key works until"),
    "setting.heartbeat.enabled": phrase("Keep idle streams open"),
    "setting.heartbeat.timeout_seconds": phrase("Send a heartbeat after"),
    "setting.limits.limit_model_setting.enabled": phrase("Only certain models"),
    "setting.limits.limit_model_setting.models": phrase("Models"),
    "setting.limits.limits_ip_setting.enabled": phrase("Only certain IP addresses"),
    "setting.limits.limits_ip_setting.whitelist": phrase("Addresses"),
    "setting.rates.requests_per_minute": phrase("Requests per minute"),
    "setting.rates.tokens_per_minute": phrase("Tokens per minute"),
    "setting.rates.concurrency": phrase("Concurrent requests"),
    "setting.rates.daily_spend": phrase("Daily spend (USD)"),
    "setting.rates.monthly_spend": phrase("Monthly spend (USD)"),
    "setting.rates.session_spend": phrase("Session spend (USD)"),
    "setting.cache.enabled": phrase("Cache responses"),
    "setting.cache.tool_streams": phrase("Also cache streams with tools"),
    "setting.log_bodies": phrase("Store requests and responses"),
  }),
  user_group: lookupTable({
    ...common,
    symbol: phrase("Identifier"),
    public: phrase("Public"),
    enable: phrase("Enabled"),
    ratio: phrase("Ratio"),
    api_rate: phrase("Requests per minute"),
    promotion: phrase("Promote accounts to this group"),
    min: phrase("From"),
    max: phrase("Below"),
    cache_marks: phrase("Help the prompt cache"),
    quotes: phrase("Quotes"),
  }),
  redemption: lookupTable({
    ...common,
    quota: phrase("Value of each code"),
    count: phrase("Number of codes"),
    expired_time: phrase("Expires at"),
  }),
  payment: lookupTable({
    ...common,
    type: phrase("Type"),
    icon: phrase("Icon"),
    currency: phrase("Currency"),
    percent_fee: phrase("Percentage fee"),
    fixed_fee: phrase("Fixed fee per order"),
    notify_domain: phrase("Another address of this site"),
    sort: phrase("Position"),
    enable: phrase("Enabled"),
  }),
  setting: lookupTable({ value: phrase("Value") }),
  user: lookupTable({
    ...common,
    username: phrase("Username"),
    display_name: phrase("Display name"),
    role: phrase("Role"),
    email: phrase("Email"),
    password: phrase("Password"),
    quota: phrase("Balance"),
    change: phrase("Change"),
    remark: phrase("Remark"),
    permissions: phrase("Permissions"),
    ...Object.fromEntries(Object.entries(areaTitles).map(([area, title]) => [`permissions.${area}`, title])),
  }),
});

/**
 * Returns the label of a field and what follows it: "Models · 4". A field without a label has its own name.
 */
export function fieldLabel(t: TFunction<"audit-log">, targetType: string, path: string): string {
  const { name, rest } = splitPath(t, targetType, path);
  return [name, /^\d+$/.test(rest) ? String(Number(rest) + 1) : rest].filter(Boolean).join(" · ");
}

/** Returns the label alone: "Models" for the fourth model, too. */
export function fieldName(t: TFunction<"audit-log">, targetType: string, path: string): string {
  return splitPath(t, targetType, path).name;
}

function splitPath(
  t: TFunction<"audit-log">,
  targetType: string,
  path: string,
): { name: string; rest: string } {
  const labels = labelsOf[targetType];
  const parts = path.split(".");
  for (let end = parts.length; end > 0; end -= 1) {
    const label = labels?.[parts.slice(0, end).join(".")];
    if (label !== undefined) return { name: t(label), rest: parts.slice(end).join(".") };
  }
  return { name: path, rest: "" };
}

/** Fields with amounts in points, by type of object. */
const amounts = lookupTable<readonly string[]>({
  user: ["quota", "change"],
  token: ["remain_quota", "used_quota"],
  redemption: ["quota"],
});

/** Limits of a token in points, which its form has in dollars. */
const spendLimit = /^setting\.rates\.\w+_spend$/;

const statuses = lookupTable<Readonly<Record<number, string>>>({
  channel: {
    [ChannelStatus.enabled]: phrase("Enabled"),
    [ChannelStatus.disabled]: phrase("Disabled"),
    [ChannelStatus.autoDisabled]: phrase("Disabled automatically"),
  },
  token: {
    [TokenStatus.enabled]: phrase("Enabled"),
    [TokenStatus.disabled]: phrase("Disabled"),
    [TokenStatus.expired]: phrase("Expired"),
    [TokenStatus.exhausted]: phrase("Used up"),
  },
  user: { [UserStatus.enabled]: phrase("Enabled"), [UserStatus.disabled]: phrase("Disabled") },
});

/** What a number stands for, in English; undefined for a quantity. */
function meaningOf(targetType: string, path: string, value: number): string | undefined {
  if (path === "status") return statuses[targetType]?.[value];
  return targetType === "user" && path === "role" ? roleTitles[roleName(value)] : undefined;
}

export type ValueFormat = { t: TFunction<"audit-log">; format: Pick<Formatters, "exact" | "pointsPerUsd"> };

/** Returns a value in one line; "" for a missing one. */
export function fieldValue(
  { t, format }: ValueFormat,
  targetType: string,
  path: string,
  value: unknown,
): string {
  if (typeof value === "boolean") return value ? t("on") : t("off");
  if (typeof value !== "number") return formatValue(value);
  const meaning = meaningOf(targetType, path, value);
  if (meaning !== undefined) return t(meaning);
  if (path.endsWith("_time") && value > 0) return formatTime(value);
  if (targetType === "token" && spendLimit.test(path))
    return exactText(value, { inCurrency: true, pointsPerUsd: format.pointsPerUsd });
  return amounts[targetType]?.includes(path) ? format.exact(value) : formatValue(value);
}

/** Sections and labels of the settings by key, in English. */
export type SettingNames = Readonly<Record<string, { section: string; label: string }>>;

type Target = Pick<AuditRow, "target_type" | "target_id" | "target_name">;

/** Returns the name of an entry's target: of a setting, its section and label. */
export function targetName(t: TFunction<"audit-log">, row: Target, settings: SettingNames): string {
  const setting = row.target_type === "setting" ? settings[row.target_id] : undefined;
  if (!setting) return row.target_name;
  const ns = "settings";
  return `${t(setting.section, { ns })} · ${t(setting.label, { ns })}`;
}
