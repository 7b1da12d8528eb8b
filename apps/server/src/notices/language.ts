import type { Settings } from "@gateway/shared/site/settings";

/** The languages we write to people in. */
export type Language = Settings["Language"];

const known: ReadonlySet<string> = new Set<Language>(["zh_CN", "zh_HK", "en_US", "ja_JP"]);

/** The first of these that we speak. */
export function languageOf(wish: string, otherwise: Language): Language {
  return known.has(wish) ? (wish as Language) : otherwise;
}

/** The tag that browsers, mail programs and `Intl` know. */
export function tagOf(language: Language): string {
  return language.replace("_", "-");
}
