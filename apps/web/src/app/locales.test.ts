import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { languages } from "#lib/i18n.ts";
import { messagesOf } from "#lib/locale-files.ts";
import { screens } from "./screens.ts";

const src = join(import.meta.dirname, "..");
const namespaces = readdirSync(join(src, "locales/en_US")).map((name) => name.replace(".json", ""));

describe.each(languages.map(({ id }) => id))("the locale files in %s", (language) => {
  it("are those of every other language", () => {
    for (const name of namespaces) {
      const english = Object.keys(messagesOf("en_US", name)).filter((key) => !key.endsWith("_one"));
      expect(Object.keys(messagesOf(language, name)), name).toEqual(expect.arrayContaining(english));
    }
  });

  it("translate a text in the same way in every namespace", () => {
    const all = messagesOf(language);
    for (const name of namespaces) expect(all, name).toMatchObject(messagesOf(language, name));
  });
});

describe("the namespaces", () => {
  it("of a feature's texts are its own", () => {
    const named = /\b(?:useTranslation\(|phrasesIn\(|TFunction<)"([^"]*)"/g;
    for (const file of globSync("features/**/*.{ts,tsx}", { cwd: src }))
      for (const [found, namespace] of readFileSync(join(src, file), "utf8").matchAll(named))
        expect(file.startsWith(`features/${namespace}/`), `${file}: ${found}`).toBe(true);
  });

  it("of a screen exist", () => {
    for (const screen of screens)
      for (const namespace of screen.namespaces)
        expect(existsSync(join(src, `locales/en_US/${namespace}.json`)), screen.id).toBe(true);
  });
});
