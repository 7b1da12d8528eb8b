/**
 * Compares translations of the documentation with the English pages. A translation names the version that it
 * translates in a comment: `<!-- Translates billing.md, version 1a2b3c4d5e6f. -->`.
 */
import { createHash } from "node:crypto";

const mark = /^<!-- Translates ([\w-]+\.md), version ([0-9a-f]{12})\. -->\n+/;

/** Returns the version of an English page. Column widths of tables and line breaks do not count. */
export function versionOf(english: string): string {
  const text = english.replaceAll(/-{2,}/g, "-").replaceAll(/\s+/g, " ").trim();
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

/** Returns the English version that a page translates; undefined without the comment. */
export function translatedVersion(translation: string): string | undefined {
  return mark.exec(translation)?.[2];
}

/** Returns the translation with the comment for this version of the English page. */
export function withVersion(name: string, translation: string, english: string): string {
  const text = translation.replace(mark, "");
  return `<!-- Translates ${name}, version ${versionOf(english)}. -->\n\n${text}`;
}
