/** The language of the console and the loading of its messages. Independent of screens. */
import i18next, { type BackendModule, type InitOptions, type ResourceKey } from "i18next";
import { initReactI18next } from "react-i18next";
import { writeStorage, readStorage } from "./browser-storage.ts";
import { isolateName } from "./isolate-name.ts";
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

/**
 * Returns the `phrase` of a namespace: `const phrase = phrasesIn("logs")`. `t` of that namespace translates its texts.
 */
/* @__NO_SIDE_EFFECTS__ */
export function phrasesIn(_namespace: string): typeof phrase {
  return phrase;
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
  yield readStorage(storageKey);
  yield readStorage(storageKey, "sessionStorage");
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
    writeStorage(storageKey, language);
    return { language, wished: true };
  }
  return { language: matchLanguage(document.documentElement.lang) ?? fallback, wished: false };
}

/** Addresses of the locale files. */
const files = import.meta.glob<string>("/src/locales/*/*.json", {
  query: "?url",
  import: "default",
  eager: true,
});

async function read(language: string, namespace: string): Promise<ResourceKey> {
  const response = await fetch(files[`/src/locales/${language}/${namespace}.json`] ?? "");
  if (!response.ok) throw new Error(`The texts of ${namespace} were not found (${response.status}).`);
  return (await response.json()) as ResourceKey;
}

const backend: BackendModule = {
  type: "backend",
  callbackApi: true,
  init() {},
  read(language, namespace, done) {
    read(language, namespace).then(
      (texts) => done(null, texts),
      (error: Error) => done(error, null),
    );
  },
};

/** Texts of all pages. */
const common = "common";
/** Messages of errors, which are loaded with the first error. */
export const errorNamespace = "errors";

/**
 * Loads the messages of namespaces. A page waits for its own, so that it never appears in English first.
 * @throws when a file cannot be loaded
 */
export async function loadNamespaces(...names: string[]): Promise<void> {
  // The router may call this before the first messages are loaded.
  if (!i18next.isInitialized) await new Promise((resolve) => i18next.on("initialized", resolve));
  await i18next.loadNamespaces(names);
  const { language } = i18next;
  const missing = names.filter((name) => !i18next.hasResourceBundle(language, name));
  // i18next does not load a file again that failed before.
  for (const name of missing) i18next.addResourceBundle(language, name, await read(language, name));
}

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
  await i18next
    .use(backend)
    .use(initReactI18next)
    .use(wordSpacing)
    .init({
      lng: language,
      // The key is the English text.
      fallbackLng: false,
      load: "currentOnly",
      supportedLngs: languages.map((entry) => entry.id),
      ns: [common],
      defaultNS: common,
      fallbackNS: [common, errorNamespace],
      keySeparator: false,
      nsSeparator: false,
      returnEmptyString: false,
      // React escapes HTML.
      interpolation: { escapeValue: true, escape: isolateName },
      postProcess: wordSpacing.name,
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
  await i18next.changeLanguage(language);
  markDocument(language);
}

/** Sets and stores the visitor's choice. */
export async function setLanguage(language: Language): Promise<void> {
  undecided = false;
  writeStorage(storageKey, language);
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
