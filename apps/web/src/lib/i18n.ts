import i18next, { type InitOptions, type Resource } from "i18next";
/** The language of the console and the loading of its messages. Independent of screens. */
import { initReactI18next } from "react-i18next";
import { keep, kept } from "./stored.ts";
import { wordSpacing } from "./word-spacing.ts";

export const languages = [
  { id: "zh_CN", tag: "zh-CN", name: "简体中文" },
  { id: "zh_HK", tag: "zh-HK", name: "繁體中文" },
  { id: "en_US", tag: "en-US", name: "English" },
  { id: "ja_JP", tag: "ja-JP", name: "日本語" },
] as const;
export type Language = (typeof languages)[number]["id"];

const storageKey = "appLanguage";
const fallback: Language = "zh_CN";

/**
 * Marks an English phrase for extraction outside of components. Translate it with `t(text)` when displayed.
 */
/* @__NO_SIDE_EFFECTS__ */
export function phrase(text: string): string {
  return text;
}

/** "zh-TW" → zh_HK, "en" → en_US; null for an unsupported language. */
export function matchLanguage(wanted: string): Language | null {
  const tag = wanted.toLowerCase().replaceAll("_", "-");
  if (/^zh-(hk|tw|mo|hant)/.test(tag)) return "zh_HK";
  if (tag.startsWith("zh")) return "zh_CN";
  if (tag.startsWith("en")) return "en_US";
  if (tag.startsWith("ja")) return "ja_JP";
  return null;
}

/** Yields the sources of a language preference, highest priority first. */
function* wishes(): Generator<string | null | undefined> {
  yield new URLSearchParams(window.location.search).get("lng");
  yield new RegExp(`(?:^|; )${storageKey}=([^;]*)`).exec(document.cookie)?.[1];
  yield kept(storageKey);
  yield kept(storageKey, "sessionStorage");
  yield* navigator.languages;
}

/**
 * Returns the chosen or preferred language. The fallback is the page's own language, which the server set.
 */
function detectLanguage(): { language: Language; wished: boolean } {
  for (const wish of wishes()) {
    const language = wish ? matchLanguage(wish) : null;
    if (!language) continue;
    // Stored, because the next page may not carry the same preference.
    keep(storageKey, language);
    return { language, wished: true };
  }
  return { language: matchLanguage(document.documentElement.lang) ?? fallback, wished: false };
}

export type Messages = Record<string, string>;

/** The files of a part of the messages, by path: one per language, loaded on demand. */
export type MessageFiles = Record<string, () => Promise<Messages>>;

const home = import.meta.glob<Messages>("/src/locales/*.json", { query: "?part=home", import: "default" });
const errors = import.meta.glob<Messages>("/src/locales/*.json", {
  query: "?part=errors",
  import: "default",
});

/** Messages of the console's frame and first screen. The parts of all screens build on it. */
export const consoleMessages = import.meta.glob<Messages>("/src/locales/*.json", {
  query: "?part=console",
  import: "default",
});

/** The parts that were loaded. A change of language loads them again. */
const spoken = new Set<MessageFiles>([home]);

async function loadMessages(language: Language, wanted: Iterable<MessageFiles>): Promise<Messages> {
  const loaded = [...wanted].map((files) => {
    const load = files[`/src/locales/${language}.json`];
    if (!load) throw new Error(`There is no locale file for ${language}.`);
    return load();
  });
  return Object.assign({}, ...(await Promise.all(loaded))) as Messages;
}

/** Loads parts of the messages. The pages that show them wait for it. */
export async function loadMessagesOf(...parts: MessageFiles[]): Promise<void> {
  // The router may call this before the first messages are loaded.
  if (!i18next.isInitialized) await new Promise((resolve) => i18next.on("initialized", resolve));
  const missing = parts.filter((part) => !spoken.has(part));
  if (missing.length === 0) return;
  const language = currentLanguage();
  i18next.addResources(language, "translation", await loadMessages(language, missing));
  for (const part of missing) spoken.add(part);
  // The language was changed in the meantime.
  if (currentLanguage() !== language) await switchTo(currentLanguage());
}

/** Loads the messages of all errors. Called with the first error. */
export const loadErrorLabels = (): Promise<void> => loadMessagesOf(errors);

function markDocument(language: Language): void {
  document.documentElement.lang = languages.find((entry) => entry.id === language)?.tag ?? "";
}

/** True when the visitor has no known preference, so that the account's language applies. */
let undecided = false;

/** Set by browser tests to record every text without a translation in the current language. */
const { missingText } = globalThis as { missingText?: (key: string) => void };

/** Reports missing translations. A text with a default value needs none: it may be a provider's message. */
const hearing: InitOptions = {
  saveMissing: true,
  saveMissingPlurals: false,
  missingKeyHandler: (_languages, _part, key, _messages, _update, options) => {
    if (!("defaultValue" in (options as object))) missingText?.(key);
  },
};

/** Detects the language and loads its messages. Resolves when `t` can be used. */
export async function startI18n(): Promise<void> {
  const { language, wished } = detectLanguage();
  undecided = !wished;
  const resources: Resource = {
    [language]: { translation: await loadMessages(language, spoken) },
  };
  await i18next
    .use(initReactI18next)
    .use(wordSpacing)
    .init({
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
      postProcess: wordSpacing.name,
      react: { useSuspense: false },
      ...(missingText ? hearing : {}),
    });
  i18next.services.formatter?.add("inside", (word: string) => insideSentence(word));
  markDocument(language);
}

/**
 * Lowercases a label inside a sentence: "Model name" → "model name". "ID" and "IP address" stay as they are.
 */
function insideSentence(word: string): string {
  return /^\p{Lu}\p{Ll}/u.test(word) ? word.charAt(0).toLowerCase() + word.slice(1) : word;
}

async function switchTo(language: Language): Promise<void> {
  i18next.addResources(language, "translation", await loadMessages(language, spoken));
  await i18next.changeLanguage(language);
  markDocument(language);
}

/** Sets and stores the visitor's choice. */
export async function setLanguage(language: Language): Promise<void> {
  undecided = false;
  keep(storageKey, language);
  await switchTo(language);
}

/** Applies and stores the account's language when the browser has no preference. */
export async function offerLanguage(wanted: string): Promise<void> {
  const language = matchLanguage(wanted);
  if (!undecided || !language) return;
  await setLanguage(language);
}

export function currentLanguage(): Language {
  return matchLanguage(i18next.language) ?? fallback;
}

/** Returns the BCP 47 tag of the current language, for Intl. */
export function currentLocale(): string {
  return languages.find((entry) => entry.id === currentLanguage())?.tag ?? "zh-CN";
}
