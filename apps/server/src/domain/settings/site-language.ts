import type { Settings } from "@gateway/shared/site/settings";
import type { SettingsStore } from "./settings.ts";

/**
 * Returns the language for visitors whose browser supports none of the site's languages: the administrator's
 * choice, else English.
 */
export function shownLanguage(
  settings: Pick<SettingsStore, "current" | "hasLanguage">,
): Settings["Language"] {
  return settings.hasLanguage() ? settings.current().Language : "en_US";
}
