import { z } from "zod";
import { because } from "#errors/issue.ts";

/** What operators wish for single models: JSON in a text, a model's name in front of each wish. */

const Tokens = z.record(z.string().min(1).max(100), z.int().min(1).max(1_000_000));
const Flags = z.record(z.string().min(1).max(100), z.boolean());

/** Under this name stands what holds for all models that are not named. */
const otherwise = "default";

/** `{"claude-opus-4-5": 32000, "default": 8192}` */
export const TokenTableText = tableText(Tokens, because("token_table"));
/** `{"gemini-2.5-pro": true}` */
export const FlagTableText = tableText(Flags, because("flag_table"));

/** What the table says about this model, or else about all; undefined when it says nothing, or cannot be read. */
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
