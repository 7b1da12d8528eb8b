import { allErrors } from "@gateway/shared/errors";
import { fillTemplate, MISSING } from "@gateway/shared/errors/phrase";
import i18next, { createInstance, type TFunction } from "i18next";
import { beforeAll, describe, expect, it } from "vitest";
import { ApiError } from "#lib/http.ts";
import { languages } from "#lib/i18n.ts";
import { messagesOf } from "#lib/locale-files.ts";
import { codeText, errorNote, errorReason } from "./error-text.ts";
import { loadErrorTexts } from "./late-errors.ts";

const errors = allErrors().map(({ code, reason, template }) => {
  const names = [...template.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1] ?? "");
  const values = Object.fromEntries(names.map((name, index) => [name, `<v${index}> $&`]));
  return { code, reason, template, values };
});

/** Translates with the messages that every page has after an error. */
async function speak(language: string): Promise<TFunction> {
  const i18n = createInstance();
  return i18n.init({
    lng: language,
    resources: {
      [language]: { translation: { ...messagesOf(language, "common"), ...messagesOf(language, "errors") } },
    },
    keySeparator: false,
    nsSeparator: false,
    interpolation: { escapeValue: false },
  });
}

beforeAll(async () => {
  await i18next.init({ lng: "en_US" });
  await loadErrorTexts();
});

describe.each(languages.map(({ id }) => id))("errors in %s", (language) => {
  let t: TFunction;
  beforeAll(async () => {
    t = await speak(language);
  });

  it("has a sentence with its values for each code", () => {
    for (const { code, reason, template, values } of errors) {
      const text = codeText(t, code, reason === undefined ? values : { ...values, reason });
      expect(text, template).toMatch(/\S/);
      expect(text, template).not.toContain("{{");
      if (!template.includes(MISSING)) expect(text, template).not.toContain(MISSING);
      for (const value of Object.values(values)) expect(text, template).toContain(value);
      const english = fillTemplate(template, values);
      if (language === "en_US") expect(text).toBe(english);
      // A template that is only a provider's message has no words to translate.
      else if (/[a-z]/.test(template.replace(/\{\{\w+\}\}/g, ""))) expect(text).not.toBe(english);
    }
  });

  it("never shows a raw placeholder for a missing value", () => {
    for (const { code, reason, template } of errors) {
      const text = codeText(t, code, reason === undefined ? {} : { reason });
      expect(text, template).not.toContain("{{");
      if (template.includes("{{")) expect(text, template).toContain(MISSING);
    }
  });

  it("shows the server's message and the request id for an unknown code or reason", () => {
    const unknown = { message: "Something new.", request_id: "req-1" };
    const failures: ConstructorParameters<typeof ApiError>[1][] = [
      { ...unknown, code: "from_a_later_version", params: { model: "m" } },
      { ...unknown, code: "conflict", params: { reason: "from_a_later_version" } },
      { ...unknown, code: "constructor", params: {} },
    ];
    for (const failure of failures) {
      const text = errorReason(new ApiError(409, failure), t);
      expect(text).toContain("Something new.");
      expect(text).toContain("req-1");
    }
  });
});

it.each([
  [429, "错误：请求次数过多，请稍后再试！"],
  [500, "错误：服务器内部错误，请联系管理员！"],
  [502, "错误：服务器错误"],
  [404, "错误：未知错误"],
])("an error %d without a message of the server has a text of its own", async (status, text) => {
  expect(errorNote(new ApiError(status, {}), await speak("zh_CN"))).toEqual({ level: "error", text });
});
