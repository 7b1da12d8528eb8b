import { diagnosisEnglish, type DiagnosisCode, diagnosisTexts } from "@gateway/shared/site/diagnosis-texts";
import i18next from "i18next";
import { beforeAll, expect, it } from "vitest";
import { messagesOf } from "#lib/locale-files.ts";
import { translateWith } from "#lib/translate.fixture.ts";
import { findingTexts } from "./labels.ts";

const placeholders = (text: string) => [...text.matchAll(/\{\{\w+\}\}/g)].map(String).sort();

beforeAll(() => i18next.init({ lng: "en_US" }));

it.each(["en_US", "zh_CN", "zh_HK", "ja_JP"])("has the texts of every code in %s", (language) => {
  const texts = messagesOf(language, "diagnostics");
  for (const { text, fix = "" } of Object.values<{ text: string; fix?: string }>(diagnosisTexts))
    for (const template of [text, fix].filter(Boolean)) {
      expect(texts[template] ?? "", template).not.toBe("");
      expect(placeholders(texts[template] ?? "")).toEqual(placeholders(template));
      // Chinese and Japanese sentences are not the English ones.
      if (language !== "en_US") expect(texts[template]).not.toBe(template);
    }
});

it("keeps the English texts of another server version", () => {
  const t = translateWith((text: string) => `<${text}>`);
  const facts = { check: "disk", group: "server", state: "ok", params: {}, cause: null } as const;
  const english = { text: "In English.", fix: "" };
  expect(findingTexts(t, { ...facts, code: "unheard", ...english })).toMatchObject(english);
  const code: DiagnosisCode = "redis_silent";
  const shown = findingTexts(t, { ...facts, code, ...diagnosisEnglish(code, {}) });
  expect(shown.text).toBe("<Redis does not respond.>");
});

it("has thousands separators in counts, not in ports", () => {
  const t = translateWith((text: string, values: Record<string, unknown>) =>
    text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name])),
  );
  const facts = { check: "files", group: "server", state: "ok", cause: null, text: "", fix: "" } as const;
  expect(findingTexts(t, { ...facts, code: "files_enough", params: { limit: 20_000 } }).text).toContain(
    " 20,000 ",
  );
  const silent = { ...facts, code: "address_silent", params: { address: "a", detail: "b", port: 3000 } };
  expect(findingTexts(t, silent).fix).toContain(" 3000");
});
