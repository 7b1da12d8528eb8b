import type { FieldIssue } from "@gateway/shared/errors";
import { issueOf } from "@gateway/shared/errors/issue";
/** What was typed and not yet saved. Pure. */
import { defaultSettings, type SettingKey, Settings, type SettingsView } from "@gateway/shared/site/settings";

export type Value = string | number | boolean;
/** Null takes a stored secret out, which "" cannot say: its input is empty while nothing is typed. */
export type Draft = Value | null;
/** Only what differs from what is saved. */
export type Drafts = Partial<Record<SettingKey, Draft>>;

/** A secret never comes back: its saved value is "" here, and typing replaces it. */
export function savedValue(settings: SettingsView, key: SettingKey): Value {
  return key in settings ? (settings[key as keyof SettingsView] as Value) : "";
}

export function withDraft(drafts: Drafts, settings: SettingsView, key: SettingKey, value: Draft): Drafts {
  const { [key]: _, ...rest } = drafts;
  const same = value === null ? !settings.secrets_set.includes(key) : value === savedValue(settings, key);
  return same ? rest : { ...rest, [key]: value };
}

export function without(drafts: Drafts, keys: readonly SettingKey[]): Drafts {
  return Object.fromEntries(Object.entries(drafts).filter(([key]) => !keys.includes(key as SettingKey)));
}

export function defaultOf(key: SettingKey): Value {
  return defaultSettings[key];
}

/** What the schema that the server enforces finds wrong; undefined when it takes the value. */
export function problemOf(key: SettingKey, value: Value): FieldIssue | undefined {
  const issue = Settings.shape[key].safeParse(value).error?.issues[0];
  return issue === undefined ? undefined : issueOf(issue, value);
}
