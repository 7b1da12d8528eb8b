import { currentLanguage } from "#lib/i18n.ts";

/** Joins as the language of the console does: "a, b", or "a、b" in Chinese and Japanese. Intl.ListFormat may add "and". */
export function joinList(parts: readonly string[]): string {
  return parts.join(currentLanguage() === "en_US" ? ", " : "、");
}
