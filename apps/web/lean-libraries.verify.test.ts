/** Compares what the build leaves of i18next with the whole library, on every text of every language. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { i18n } from "i18next";
import { parseAst } from "vite";
import { expect, it } from "vitest";
import { languages } from "#lib/i18n.ts";
import { leanCode } from "./lean-libraries.ts";
import { libraries } from "./unused-code.ts";

type Translate = (key: string, given?: Record<string, unknown> | string) => string;
type Module = { createInstance: () => i18n };

const require = createRequire(import.meta.url);
const whole = require("i18next") as Module;
const lean = await leanModule();
const messages = import.meta.glob<Record<string, string>>("/src/locales/*.json", { import: "default" });

async function leanModule(): Promise<Module> {
  const file = require.resolve("i18next").replace(/dist\/.*$/, "dist/esm/i18next.js");
  const list = libraries.find((library) => library.file.test(file));
  if (!list) throw new Error("There is no list for i18next.");
  const code = leanCode(list, readFileSync(file, "utf8"), (text) => parseAst(text));
  return (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as Module;
}

/** Both with all texts of a language, and the fallback for a text without a translation. */
async function both(language: string, missing: (key: string) => void = () => {}) {
  const texts = (await messages[`/src/locales/${language}.json`]?.()) ?? {};
  const instances = [whole, lean].map((library) => library.createInstance());
  for (const instance of instances) {
    await instance.init({
      lng: language,
      fallbackLng: "zh_CN",
      load: "currentOnly",
      supportedLngs: languages.map(({ id }) => id),
      resources: { [language]: { translation: texts } },
      partialBundledLanguages: true,
      keySeparator: false,
      nsSeparator: false,
      returnEmptyString: false,
      interpolation: { escapeValue: false },
      saveMissing: true,
      saveMissingPlurals: false,
      missingKeyHandler: (_languages, _part, key) => missing(key),
    });
    instance.addResources("zh_CN", "translation", { "only in Chinese": "只有中文" });
    instance.services.formatter?.add("inside", (value: unknown) => `<${String(value)}>`);
  }
  const [theirs, ours] = instances.map(({ t }) => t as unknown as Translate);
  if (!theirs || !ours) throw new Error("Both are needed.");
  return { texts, theirs, ours, instances };
}

const values = ["plain", "$& $1 {{name}} $t(plain)", 0, 1.5, null, undefined, true];

/** Each text is formatted several times by both. */
const COMPARED_WITHIN_MS = 60_000;

it.each(languages.map(({ id }) => id))(
  "gives the same text for every message in %s",
  async (language) => {
    const { texts, theirs, ours } = await both(language);
    const differences: string[] = [];
    const compare = (key: string, given?: Record<string, unknown>) => {
      const [one, other] = [theirs(key, given), ours(key, given)];
      if (one !== other) differences.push(`${key} ${JSON.stringify(given)}: ${one} ≠ ${other}`);
    };
    for (const [key, text] of Object.entries(texts)) {
      const names = [...text.matchAll(/\{\{(\w+)/g)].map(([, name = ""]) => name);
      const filledWith = (value: unknown) => Object.fromEntries(names.map((name) => [name, value]));
      compare(key);
      for (const value of values) compare(key, filledWith(value));
      const base = key.replace(/_(one|other)$/, "");
      if (base === key) continue;
      for (const count of [0, 1, 1.5, 2, 21, 1_000_000]) compare(base, { ...filledWith("x"), count });
    }
    expect(Object.keys(texts).length).toBeGreaterThan(1_000);
    expect(differences).toEqual([]);
  },
  COMPARED_WITHIN_MS,
);

it("gives the same for a text without a translation, a default value and a fallback", async () => {
  const missing: string[] = [];
  const { theirs, ours, instances } = await both("en_US", (key) => missing.push(key));
  const cases: Parameters<Translate>[] = [
    ["No such text: {{name}}", { name: "x" }],
    ["No such text: {{name}}", {}],
    ["No such text", { defaultValue: "Shown: {{name}}", name: "x" }],
    ["No such text", "Shown"],
    ["only in Chinese"],
    ["{{missing}} and {{name}}", { name: undefined }],
    ["No such text", { count: 2 }],
    // As `<Trans>` does.
    ["No such text: {{name}}", { name: "<b>", interpolation: { escapeValue: true } }],
    ["No such text: {{name}}", { name: "x", interpolation: { prefix: "#$?", suffix: "?$#" } }],
    ["No such text: {{name}}", { name: "<b>" }],
    ["Sign in: now. Or later", {}],
  ];
  const results = (translate: Translate) => {
    missing.length = 0;
    return [cases.map((given) => translate(...given)), [...missing]];
  };
  expect(results(ours)).toEqual(results(theirs));
  for (const instance of instances) await instance.changeLanguage("zh_CN");
  expect(instances.map(({ language, resolvedLanguage }) => [language, resolvedLanguage])).toEqual([
    ["zh_CN", "zh_CN"],
    ["zh_CN", "zh_CN"],
  ]);
  expect(results(ours)).toEqual(results(theirs));
});
