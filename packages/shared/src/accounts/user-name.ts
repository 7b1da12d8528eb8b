import { z } from "zod";
import { because } from "#errors/issue.ts";

/**
 * What a user name may be: also how people are told apart, so no blanks, no look of an e-mail address, and nothing that
 * looks like another name. The database keeps names unique in whatever case and spelling they are written.
 */
export const Username = z
  .string()
  .trim()
  .min(3, because("user_name_too_short"))
  .max(64)
  .regex(/^[\p{L}\p{N}._-]+$/u, because("user_name_characters"))
  .refine(
    (name) => name.normalize("NFKC") === name && !/\p{Default_Ignorable_Code_Point}/u.test(name),
    because("user_name_lookalikes"),
  )
  .refine((name) => !mixesScripts(name), because("user_name_alphabets"));

/** Alphabets whose letters look like each other's. */
const alike = ["Latin", "Cyrillic", "Greek", "Armenian", "Cherokee", "Coptic", "Lisu"].map(
  (script) => new RegExp(`\\p{Script=${script}}`, "u"),
);
const eastAsian =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u;

/** Chinese, Japanese and Korean names with Latin letters are usual; other mixtures are not. */
function mixesScripts(name: string): boolean {
  const used = alike.filter((script) => script.test(name));
  return used.length > 1 || (used.length === 1 && !alike[0]?.test(name) && eastAsian.test(name));
}
