import { reasonOf } from "@gateway/shared/reasons";
import { importNotes } from "@gateway/shared/site/import-notes";
import i18next from "i18next";
import { expect, it } from "vitest";
import { messagesOf } from "#lib/locale-files.ts";
import { translateWith } from "#lib/translate.fixture.ts";
import { exampleText, noteText } from "./note-texts.ts";

const placeholders = (text: string) => [...text.matchAll(/\{\{\w+\}\}/g)].map(String).sort();

it.each(["en_US", "zh_CN", "zh_HK", "ja_JP"])("has the text of every note in %s", (language) => {
  const texts = messagesOf(language, "migration");
  for (const [code, template] of Object.entries(importNotes)) {
    expect(texts[template] ?? "", code).not.toBe("");
    expect(placeholders(texts[template] ?? ""), code).toEqual(placeholders(template));
    // Chinese and Japanese sentences are not the English ones.
    if (language !== "en_US") expect(texts[template], code).not.toBe(template);
  }
});

it("fills in the values and the reason in the reader's language", async () => {
  await i18next.init({
    lng: "zh_CN",
    keySeparator: false,
    nsSeparator: false,
    interpolation: { escapeValue: false },
    resources: { zh_CN: { translation: messagesOf("zh_CN") } },
  });
  const note = { text: "In English.", params: {}, reason_facts: [] };
  const { facts } = reasonOf("importVariable", { variable: "OPENAI_KEY" });
  const shown = noteText(i18next.t, { ...note, code: "channel_off", reason_facts: facts });
  expect(shown).toContain("OPENAI_KEY");
  expect(shown).not.toMatch(/[a-z]{3} [a-z]{3}|\{\{/);
  expect(noteText(i18next.t, { ...note, code: "channel_field", params: { field: "proxy" } })).toContain(
    "proxy",
  );
});

it("names the subject of an example in the reader's language", () => {
  const t = translateWith((text: string, { id }: { id: string }) => text.replace("{{id}}", id));
  expect(exampleText(t, "user 5")).toBe("User 5");
  expect(exampleText(t, "token 7: limits")).toBe("Token 7: limits");
  expect(exampleText(t, "anna → anna_2")).toBe("anna → anna_2");
  expect(exampleText(t, "vip 5")).toBe("vip 5");
  expect(exampleText(t, "user")).toBe("user");
});

it("keeps the English text of a code of another version", () => {
  const t = translateWith((text: string) => `<${text}>`);
  const note = { text: "In English.", params: {}, reason_facts: [] };
  expect(noteText(t, { ...note, code: "channel_off_baidu" })).toBe("In English.");
});
