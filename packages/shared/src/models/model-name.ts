/** Names of models, as calls and operators write them. */
import { z } from "zod";
import { because } from "#errors/issue.ts";

/** Some dialects put the model into the URL, where a name must not change the path. */
const strayName = /\.\.|[?#\\%\p{C}]|[^\S ]|^ | $|(?:^|\/)\.?(?:\/|$)/u;

/** Returns whether a call can name this model. Others are not listed either. */
export function isModelName(name: string): boolean {
  return !strayName.test(name);
}

/** A name of a model that calls can use. `*` is allowed only at the end, after at least one character. */
export const ModelPattern = z
  .string()
  .trim()
  .min(1, because("model_name_required"))
  .max(160)
  .refine(isModelName, because("model_name_characters"))
  .regex(/^(?!\*)[^*]*\*?$/, because("model_wildcard"));
