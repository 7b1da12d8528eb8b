/** Notes of an import in the reader's language. */
import { lookupTable } from "@gateway/shared/lookup-table";
import { noteTemplate } from "@gateway/shared/site/import-notes";
import type { ImportNote } from "@gateway/shared/site/migration";
import type { TFunction } from "i18next";
import { phrasesIn } from "#lib/i18n.ts";
import { storedReason } from "#lib/labels/reasons.ts";

const phrase = phrasesIn("migration");

/** Returns the text of a note; that of a code of another version stays in English. */
export function noteText(
  t: TFunction<"migration">,
  { code, text, params, reason_facts: facts }: Pick<ImportNote, "code" | "text" | "params" | "reason_facts">,
): string {
  const template = noteTemplate(code);
  if (template === undefined) return text;
  return t(template, facts.length === 0 ? params : { ...params, reason: storedReason(t, "", facts) });
}

/** The first word of an example names what its id belongs to. */
const subjects = lookupTable<string>({
  user: phrase("User {{id}}"),
  team: phrase("Team {{id}}"),
  token: phrase("Token {{id}}"),
  channel: phrase("Channel {{id}}"),
  code: phrase("Redemption code {{name}}"),
  task: phrase("Task {{id}}"),
  picture: phrase("Picture {{id}}"),
});

/** Returns an example of a note: "user 5: email" → "User 5: email". Others are names and stay as they are. */
export function exampleText(t: TFunction<"migration">, example: string): string {
  const [, word = "", id = "", rest = ""] = /^([a-z]+) ([^\s:]+)(: .*)?$/s.exec(example) ?? [];
  const template = subjects[word];
  return template === undefined ? example : t(template, { id, name: id }) + rest;
}
