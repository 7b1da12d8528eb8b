/** Notes of an import in the reader's language. */
import { noteTemplate } from "@gateway/shared/site/import-notes";
import type { ImportNote } from "@gateway/shared/site/migration";
import type { TFunction } from "i18next";
import { storedReason } from "#lib/reasons.ts";

/** Returns the text of a note; that of a code of another version stays in English. */
export function noteText(
  t: TFunction,
  { code, text, params, reason_facts: facts }: Pick<ImportNote, "code" | "text" | "params" | "reason_facts">,
): string {
  const template = noteTemplate(code);
  if (template === undefined) return text;
  return t(template, facts.length === 0 ? params : { ...params, reason: storedReason(t, "", facts) });
}
