/** Unsaved values of settings. Pure. */
import type { SettingKey, SettingsView } from "@gateway/shared/site/settings";
import { defaultSettings } from "virtual:settings-defaults";
import type { SettingFieldRecord } from "./sections/section.ts";

export type SettingValue = string | number | boolean;
/** Null removes a stored secret. "" cannot, because the input is empty while nothing is typed. */
export type DraftValue = SettingValue | null;
/** Only differences from the saved values. */
export type Drafts = Partial<Record<SettingKey, DraftValue>>;

/**
 * Returns the saved value; "" for a secret, which is never returned by the server and is replaced by typing.
 */
export function savedValue(settings: SettingsView, key: SettingKey): SettingValue {
  return key in settings ? (settings[key as keyof SettingsView] as SettingValue) : "";
}

export function withDraft(
  drafts: Drafts,
  settings: SettingsView,
  key: SettingKey,
  value: DraftValue,
): Drafts {
  const { [key]: _, ...rest } = drafts;
  const same = value === null ? !settings.secrets_set.includes(key) : value === savedValue(settings, key);
  return same ? rest : { ...rest, [key]: value };
}

/**
 * Returns what a field fills in after its change from `before` to `after`: nothing if someone has set one of the other
 * fields. What it has filled in earlier is taken back.
 */
export function autofillDrafts(
  fills: SettingFieldRecord["fills"],
  [before, after]: [before: SettingValue, after: DraftValue],
  settings: SettingsView,
  drafts: Drafts,
): Drafts {
  const earlier = fills?.(String(before));
  const now = fills?.(String(after ?? ""));
  const keys = Object.keys({ ...earlier, ...now }) as SettingKey[];
  const isOpen = (key: SettingKey) => {
    const current = drafts[key] ?? savedValue(settings, key);
    return current === defaultOf(key) || current === earlier?.[key];
  };
  if (!keys.every(isOpen)) return {};
  return Object.fromEntries(keys.map((key) => [key, now?.[key] ?? savedValue(settings, key)]));
}

export function withoutDrafts(drafts: Drafts, keys: readonly SettingKey[]): Drafts {
  return Object.fromEntries(Object.entries(drafts).filter(([key]) => !keys.includes(key as SettingKey)));
}

/** Returns the drafts that remain after `saved` was stored: a value that was typed during the request stays unsaved. */
export function afterSaving(drafts: Drafts, saved: Drafts): Drafts {
  const isSaved = (key: string) => key in saved && drafts[key as SettingKey] === saved[key as SettingKey];
  return Object.fromEntries(Object.entries(drafts).filter(([key]) => !isSaved(key)));
}

export function defaultOf(key: SettingKey): SettingValue {
  return defaultSettings[key];
}
