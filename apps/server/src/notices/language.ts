import type { Settings } from "@gateway/shared/site/settings";

/** Languages of our mails. */
export type Language = Settings["Language"];

const known: ReadonlySet<string> = new Set<Language>(["zh_CN", "zh_HK", "en_US", "ja_JP"]);

/** Returns the requested language if it is supported, and the alternative otherwise. */
export function languageOf(wish: string, otherwise: Language): Language {
  return known.has(wish) ? (wish as Language) : otherwise;
}

/** Returns the language tag for browsers, mail programs and `Intl`. */
export function tagOf(language: Language): string {
  return language.replace("_", "-");
}
