import { z } from "zod";
import { because } from "#errors/issue.ts";

/**
 * A user name. It identifies a user to others, so it has no blanks, does not look like an email address and
 * does not resemble another name. The database enforces uniqueness regardless of case, compatibility forms
 * (NFKC) and look-alike letters.
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

/** Scripts with letters that look alike. */
const alike = ["Latin", "Cyrillic", "Greek", "Armenian", "Cherokee", "Coptic", "Lisu"].map(
  (script) => new RegExp(`\\p{Script=${script}}`, "u"),
);
const eastAsian =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u;

/** Returns whether a name mixes scripts. Chinese, Japanese and Korean with Latin letters is allowed. */
function mixesScripts(name: string): boolean {
  const used = alike.filter((script) => script.test(name));
  return used.length > 1 || (used.length === 1 && !alike[0]?.test(name) && eastAsian.test(name));
}
