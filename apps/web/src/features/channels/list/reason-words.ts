/** Sentences of the server with values in them, in the reader's language: why it did something, or would not. */
import type { TFunction } from "i18next";
import { pauseReason } from "#features/channels/status.ts";
import { translateSentence } from "#lib/error-text.ts";
import { phrase } from "#lib/i18n.ts";

const sentences = [
  phrase("The vendor refuses the key (HTTP {{status}}), {{times}} times in a row."),
  phrase("The vendor's account has no balance (HTTP {{status}}), {{times}} times in a row."),
  phrase("None of {{calls}} calls in {{minutes}} minutes was answered (the last: {{kind}})."),
  phrase(
    "The provider refuses the key: {{times}} calls in a row failed, and a test failed too ({{message}}).",
  ),
  phrase(
    "The provider's account has no balance: {{times}} calls in a row failed, and a test failed too ({{message}}).",
  ),
  phrase(
    "None of {{calls}} calls in {{minutes}} minutes succeeded (the last: {{kind}}), and a test failed too ({{message}}).",
  ),
  phrase("Too many calls failed (the last: {{kind}}), confirmed by a test."),
  phrase("Too many calls failed (the last: {{kind}}), confirmed by calls of {{accounts}} accounts."),
  phrase("A call succeeded."),
  phrase("None of its {{keys}} keys is in use any more. The last one: {{reason}}"),
  phrase("Too many calls failed (the last: {{kind}})."),
  phrase("A call went well."),
  phrase("A test with {{model}} went well."),
  phrase("A test by an operator went well."),
  phrase("It has a key again."),
  phrase('There is no group named "{{name}}".'),
  phrase("Two tests with {{model}} took longer than {{limit}} s: {{first}} ms and {{second}} ms."),
];

const patterns = sentences.map((sentence) => {
  const parts = sentence.split(/\{\{\w+\}\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const names = [...sentence.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1] ?? "");
  return { sentence, names, shape: new RegExp(`^${parts.join("(.+)")}$`, "s") };
});

export function reasonText(t: TFunction, reason: string): string {
  for (const { sentence, names, shape } of patterns) {
    const match = shape.exec(reason);
    if (match === null) continue;
    const values = names.map((name, index): [string, string] => {
      const value = match[index + 1] ?? "";
      if (name === "reason") return [name, reasonText(t, value)];
      return [name, name === "kind" ? t(pauseReason(value)) : value];
    });
    return t(sentence, Object.fromEntries(values));
  }
  return translateSentence(t, reason);
}
