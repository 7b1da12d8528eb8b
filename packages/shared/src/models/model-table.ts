/** Settings per model, as JSON in a string: model names with their values. */
import { z } from "zod";
import { because } from "#errors/issue.ts";

const Tokens = z.record(z.string().min(1).max(100), z.int().min(1).max(1_000_000));
const Flags = z.record(z.string().min(1).max(100), z.boolean());

/** Key of the value for all models that are not listed. */
const otherwise = "default";

/** `{"claude-opus-4-5": 32000, "default": 8192}` */
export const TokenTableText = tableText(Tokens, because("token_table"));
/** `{"gemini-2.5-pro": true}` */
export const FlagTableText = tableText(Flags, because("flag_table"));

/** Returns the value for this model, or the default. Undefined when there is none, or the text is invalid. */
export function tokensFor(text: string, model: string): number | undefined {
  return entryOf(Tokens.safeParse(readJson(text)).data, model);
}

export function flagFor(text: string, model: string): boolean {
  return entryOf(Flags.safeParse(readJson(text)).data, model) ?? false;
}

function entryOf<T>(table: Record<string, T> | undefined, model: string): T | undefined {
  if (table === undefined) return undefined;
  return Object.hasOwn(table, model) ? table[model] : table[otherwise];
}

function tableText(table: z.ZodType, wrongValue: string) {
  return z
    .string()
    .trim()
    .max(20_000)
    .superRefine((text, context) => {
      const value = readJson(text);
      if (value === undefined) {
        context.addIssue({ code: "custom", message: because("json_text") });
        return;
      }
      if (!table.safeParse(value).success) context.addIssue({ code: "custom", message: wrongValue });
    });
}

function readJson(text: string): unknown {
  try {
    return text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    return undefined;
  }
}
