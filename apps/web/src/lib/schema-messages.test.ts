import i18next from "i18next";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { speakForSchemas } from "./schema-messages.ts";

beforeAll(async () => {
  const labels = { "It needs at least {{number}} characters": "至少需要 {{number}} 个字符" };
  const resources = { zh_CN: { translation: labels } };
  await i18next.init({ lng: "en_US", resources, keySeparator: false, nsSeparator: false });
  speakForSchemas();
});

const output = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.issues[0]?.message;

describe("a schema without a sentence of its own", () => {
  it.each([
    [z.string().min(1), "", "This is required"],
    [z.string(), undefined, "This is required"],
    [z.int(), "", "This is required"],
    [z.int(), 1.5, "It must be a whole number"],
    [z.number(), "", "This is required"],
    [z.number(), "abc", "It must be a number"],
    [z.string().min(3), "ab", "It needs at least 3 characters"],
    [z.string().max(3), "abcd", "It may have at most 3 characters"],
    [z.number().min(0), -1, "It cannot be less than 0"],
    [z.number().gt(0), 0, "It must be more than 0"],
    [z.number().max(90), 91, "It cannot be more than 90"],
    [z.array(z.string()).min(1), [], "This is required"],
    [z.array(z.string()).max(2), ["a", "b", "c"], "It may have at most 2 entries"],
    [z.email(), "nobody", "This is not an e-mail address"],
    [z.url(), "somewhere", "This is not a web address"],
    [z.enum(["a", "b"]), "c", "This value is not valid"],
    [z.string().regex(/^a/), "b", "This value is not valid"],
  ])("speaks plainly (%#)", (schema, value, sentence) => {
    expect(output(schema, value)).toBe(sentence);
  });

  it("leaves a schema its own sentence", () => {
    expect(output(z.string().min(3, "A name needs three letters"), "ab")).toBe("A name needs three letters");
  });

  it("speaks the language of the moment", async () => {
    await i18next.changeLanguage("zh_CN");
    expect(output(z.string().min(3), "ab")).toBe("至少需要 3 个字符");
  });
});
