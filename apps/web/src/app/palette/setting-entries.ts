/**
 * Settings by label, for the palette. Loaded with the first search, so that the frame does not include them.
 */
import { settingGroups } from "#features/settings/sections/fields.ts";

export type SettingEntry = { key: string; label: string; section: string; hint: string };

/** Returns every setting once, with English texts. */
export function settingEntries(): SettingEntry[] {
  return settingGroups.flatMap((group) =>
    group.sections.flatMap((section) =>
      section.fields.map((field) => ({
        key: field.key,
        label: field.label,
        section: section.title,
        hint: field.hint ?? "",
      })),
    ),
  );
}
