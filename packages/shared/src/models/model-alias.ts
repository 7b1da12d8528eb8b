import { z } from "zod";
import { because } from "#errors/issue.ts";

/**
 * Aliases of models: JSON in a string, `{"claude-gpt-5": "gpt-5"}`. A call with the alias uses and bills the
 * model.
 */
const Aliases = z.record(z.string().trim().min(1).max(160), z.string().trim().min(1).max(160));

export const ModelAliasText = z
  .string()
  .trim()
  .max(20_000)
  .superRefine((text, context) => {
    const value = readJson(text);
    if (value === undefined) context.addIssue({ code: "custom", message: because("json_text") });
    else if (!Aliases.safeParse(value).success)
      context.addIssue({ code: "custom", message: because("model_aliases") });
  });

/** Returns a map from alias to model; empty when the text is invalid. */
export function aliasesIn(text: string): ReadonlyMap<string, string> {
  return new Map(Object.entries(Aliases.safeParse(readJson(text)).data ?? {}));
}

function readJson(text: string): unknown {
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    return undefined;
  }
}
