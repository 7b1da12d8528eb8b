/** Settings by their labels, for ⌘K. Loaded with the first search: the frame of the console does not know them. */
import { settingGroups } from "#features/settings/fields.ts";

export type FoundSetting = { key: string; label: string; section: string; hint: string };

/** Every setting once; texts are English. */
export function allSettings(): FoundSetting[] {
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
