/**
 * Export and import of settings. Secrets are never exported, and settings missing in the file stay unchanged.
 */
import { defaultSettings, secretSettings, type SettingKey, Settings } from "@gateway/shared/site/settings";
import type { SettingsFile, SettingsPreview } from "@gateway/shared/site/settings-transfer";
import { currentTime } from "#platform/clock.ts";

export function exportSettings(current: Settings, version: string): SettingsFile {
  const entries = (Object.keys(current) as SettingKey[])
    .filter((key) => !secretSettings.includes(key) && current[key] !== defaultSettings[key])
    .map((key) => [key, current[key]] as const);
  return { version, exported_at: currentTime().toISOString(), values: Object.fromEntries(entries) };
}

/** Returns the changes that importing these values would make. */
export function previewSettings(current: Settings, values: SettingsFile["values"]): SettingsPreview {
  const preview: SettingsPreview = { changes: [], skipped: [], same: 0 };
  for (const [name, value] of Object.entries(values)) {
    const key = Object.hasOwn(Settings.shape, name) ? (name as SettingKey) : undefined;
    const parsed = key === undefined ? undefined : Settings.shape[key].safeParse(value);
    if (key === undefined) preview.skipped.push({ key: name, reason: "unknown" });
    else if (secretSettings.includes(key)) preview.skipped.push({ key: name, reason: "secret" });
    else if (parsed?.success !== true) preview.skipped.push({ key: name, reason: "invalid" });
    else if (parsed.data === current[key]) preview.same += 1;
    else preview.changes.push({ key, before: current[key], after: parsed.data });
  }
  return preview;
}
