/** Settings by label, for the palette and the audit log. Loaded late, so that the frame does not include them. */
import { matchesAll, queryParts, textOfKey } from "#features/settings/search.ts";
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

/** Returns the settings that contain each word of the query, those that have them in their label first. */
export function findSettings(query: string, t: (key: string) => string): SettingEntry[] {
  const parts = queryParts(query);
  // The English words find a setting in every language.
  const inBoth = (text: string) => (text === "" ? "" : `${text}\n${t(text)}`);
  const found = settingEntries().filter(({ key, label, section, hint }) =>
    matchesAll([textOfKey(key), inBoth(label), inBoth(section), inBoth(hint)].join("\n"), parts),
  );
  const named = found.filter(({ label }) => matchesAll(inBoth(label), parts));
  return [...new Set([...named, ...found])];
}
