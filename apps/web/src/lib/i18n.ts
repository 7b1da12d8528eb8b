import i18next, { type Resource } from "i18next";
/** Which language the console speaks and how its words are loaded. Knows nothing of screens. */
import LanguageDetector from "i18next-browser-languagedetector";
import { initReactI18next } from "react-i18next";
import { z } from "zod";

export const languages = [
  { id: "zh_CN", tag: "zh-CN", name: "简体中文" },
  { id: "zh_HK", tag: "zh-HK", name: "繁體中文" },
  { id: "en_US", tag: "en-US", name: "English" },
  { id: "ja_JP", tag: "ja-JP", name: "日本語" },
] as const;
export type Language = (typeof languages)[number]["id"];

const storageKey = "appLanguage";
const fallback: Language = "zh_CN";

/** Marks an English phrase for extraction where no `t` is at hand; translate it with `t(text)` when shown. */
export function phrase(text: string): string {
  return text;
}

/** "zh-TW" → zh_HK, "en" → en_US; null for a language we do not speak. */
export function matchLanguage(wanted: string): Language | null {
  const tag = wanted.toLowerCase().replaceAll("_", "-");
  if (/^zh-(hk|tw|mo|hant)/.test(tag)) return "zh_HK";
  if (tag.startsWith("zh")) return "zh_CN";
  if (tag.startsWith("en")) return "en_US";
  if (tag.startsWith("ja")) return "ja_JP";
  return null;
}

const detector = new LanguageDetector(null, {
  order: ["querystring", "cookie", "localStorage", "sessionStorage", "navigator", "htmlTag"],
  lookupQuerystring: "lng",
  lookupCookie: storageKey,
  lookupLocalStorage: storageKey,
  lookupSessionStorage: storageKey,
  caches: ["localStorage"],
});

function detectLanguage(): Language | null {
  const found = detector.detect() ?? [];
  for (const wanted of typeof found === "string" ? [found] : found) {
    const language = matchLanguage(wanted);
    if (language) return language;
  }
  return null;
}

const files = import.meta.glob<Record<string, string>>("/src/locales/*.json", { import: "default" });

/** The schema library's own sentences ("too short"), so that forms speak one language. */
async function loadSchemaWords(language: Language): Promise<void> {
  switch (language) {
    case "zh_CN":
      z.config((await import("zod/v4/locales/zh-CN.js")).default());
      break;
    case "zh_HK":
      z.config((await import("zod/v4/locales/zh-TW.js")).default());
      break;
    case "ja_JP":
      z.config((await import("zod/v4/locales/ja.js")).default());
      break;
    case "en_US":
      z.config((await import("zod/v4/locales/en.js")).default());
      break;
  }
}

async function loadWords(language: Language): Promise<Record<string, string>> {
  const load = files[`/src/locales/${language}.json`];
  if (!load) throw new Error(`There is no locale file for ${language}.`);
  const [words] = await Promise.all([load(), loadSchemaWords(language)]);
  return words;
}

function markDocument(language: Language): void {
  document.documentElement.lang = languages.find((entry) => entry.id === language)?.tag ?? "";
}

/** True when nothing told us the visitor's language, so the site's own default may decide. */
let undecided = false;

/** Detects the language and loads its words; resolves when `t` can be used. */
export async function startI18n(): Promise<void> {
  const detected = detectLanguage();
  undecided = detected === null;
  const language = detected ?? fallback;
  const resources: Resource = { [language]: { translation: await loadWords(language) } };
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: fallback,
    load: "currentOnly",
    supportedLngs: languages.map((entry) => entry.id),
    resources,
    partialBundledLanguages: true,
    keySeparator: false,
    nsSeparator: false,
    returnEmptyString: false,
    interpolation: { escapeValue: false },
    react: { useSuspense: false },
  });
  i18next.services.formatter?.add("inside", (word: string) => insideSentence(word));
  markDocument(language);
}

/** "Model name" within a sentence: "model name". "ID" and "IP address" stay as they are. */
function insideSentence(word: string): string {
  return /^\p{Lu}\p{Ll}/u.test(word) ? word.charAt(0).toLowerCase() + word.slice(1) : word;
}

async function switchTo(language: Language): Promise<void> {
  if (!i18next.hasResourceBundle(language, "translation"))
    i18next.addResourceBundle(language, "translation", await loadWords(language));
  else await loadSchemaWords(language);
  await i18next.changeLanguage(language);
  markDocument(language);
}

/** The visitor's own choice: remembered. */
export async function setLanguage(language: Language): Promise<void> {
  undecided = false;
  detector.cacheUserLanguage(language);
  await switchTo(language);
}

/** The site's default, for visitors about whom nothing is known. */
export async function offerLanguage(wanted: string): Promise<void> {
  const language = matchLanguage(wanted);
  if (!undecided || !language) return;
  undecided = false;
  await switchTo(language);
}

export function currentLanguage(): Language {
  return matchLanguage(i18next.language) ?? fallback;
}

/** BCP 47 tag of the current language, for Intl. */
export function currentLocale(): string {
  return languages.find((entry) => entry.id === currentLanguage())?.tag ?? "zh-CN";
}
