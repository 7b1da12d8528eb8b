/** Labels and values of changed fields, as on the forms of their objects. */
import { roleName } from "@gateway/shared/accounts/roles";
import { NEVER_EXPIRES, TokenStatus } from "@gateway/shared/accounts/token-status";
import { UserStatus } from "@gateway/shared/accounts/user-status";
import { RedemptionStatus } from "@gateway/shared/billing/redemption-status";
import { ChannelStatus } from "@gateway/shared/channels/channel-status";
import { lookupTable } from "@gateway/shared/lookup-table";
import type { AuditRow } from "@gateway/shared/usage/audit";
import type { TFunction } from "i18next";
import { orderStatuses } from "#components/order-status.tsx";
import { roleTitles } from "#components/role-badge.tsx";
import { exactText, formatTime, type Formatters } from "#lib/format/quota.ts";
import { phrasesIn } from "#lib/i18n.ts";
import { formatValue } from "./diff.ts";
import { findFieldName } from "./field-names.ts";

const phrase = phrasesIn("audit-log");

/**
 * Returns the label of a field and what follows it: "Models · 4", "Group rules · 1 · Role". A field without a name is
 * shown as it is stored.
 */
export function fieldLabel(t: TFunction<"audit-log">, targetType: string, path: string): string {
  const found = findFieldName(targetType, path);
  if (found === undefined) return path;
  const { name, place, inner } = found;
  const shownPlace = /^\d+$/.test(place) ? String(Number(place) + 1) : place;
  return [t(name), shownPlace, inner === undefined ? "" : t(inner)].filter(Boolean).join(" · ");
}

/** Returns the label alone: "Models" for the fourth model, too. */
export function fieldName(t: TFunction<"audit-log">, targetType: string, path: string): string {
  const found = findFieldName(targetType, path);
  return found === undefined ? path : t(found.name);
}

/** Fields with amounts in points, by type of object. */
const amounts = lookupTable<readonly string[]>({
  user: ["quota", "change", "limit"],
  token: ["remain_quota", "used_quota", "day_quota", "month_quota", "quota", "spent", "reserved"],
  redemption: ["quota"],
  order: ["quota"],
  statement: ["quota"],
});

/** Limits in points, which forms have in dollars: of a token, and of a budget. */
const spendLimit = /(?:^|\.)(?:daily|weekly|monthly|session)_(?:spend|notify)$/;

/** Points in time: seconds since 1970, or the text of a date. */
const timeField = /(?:_time|_at|_used|\.until)$/;
const dateText = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

type Meanings = Readonly<Record<string | number, string>>;

const statuses = lookupTable<Meanings>({
  channel: lookupTable({
    [ChannelStatus.enabled]: phrase("Enabled"),
    [ChannelStatus.disabled]: phrase("Disabled"),
    [ChannelStatus.autoDisabled]: phrase("Disabled automatically"),
  }),
  token: lookupTable({
    [TokenStatus.enabled]: phrase("Enabled"),
    [TokenStatus.disabled]: phrase("Disabled"),
    [TokenStatus.expired]: phrase("Expired"),
    [TokenStatus.exhausted]: phrase("Used up"),
  }),
  user: lookupTable({
    [UserStatus.enabled]: phrase("Enabled"),
    [UserStatus.disabled]: phrase("Disabled"),
  }),
  redemption: lookupTable({
    [RedemptionStatus.enabled]: phrase("Enabled"),
    [RedemptionStatus.disabled]: phrase("Disabled"),
    [RedemptionStatus.used]: phrase("Redeemed"),
  }),
  order: lookupTable(
    Object.fromEntries(Object.entries(orderStatuses).map(([status, { title }]) => [status, title])),
  ),
});

const billing: Meanings = lookupTable({ tokens: phrase("by tokens"), times: phrase("per call") });

/** What a value stands for, in English; undefined for a quantity or a text. */
function meaningOf(targetType: string, path: string, value: number | string): string | undefined {
  if (path === "status") return statuses[targetType]?.[value];
  if (targetType === "price" && /(?:^|\.)type$/.test(path)) return billing[value];
  if (targetType === "token" && path === "expired_time" && value === NEVER_EXPIRES) return phrase("Never");
  return targetType === "user" && path === "role" && typeof value === "number"
    ? roleTitles[roleName(value)]
    : undefined;
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
  if (typeof value !== "number" && typeof value !== "string") return formatValue(value);
  const meaning = meaningOf(targetType, path, value);
  if (meaning !== undefined) return t(meaning);
  if (typeof value === "string")
    return timeField.test(path) && dateText.test(value)
      ? formatTime(Date.parse(value) / 1_000)
      : formatValue(value);
  if (timeField.test(path) && value > 0) return formatTime(value);
  if (spendLimit.test(path))
    return value === 0
      ? t(path.endsWith("_notify") ? "No notice" : "No limit")
      : exactText(value, { inCurrency: true, pointsPerUsd: format.pointsPerUsd });
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
