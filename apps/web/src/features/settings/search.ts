/** The search of the settings: each word of the query begins a word of the texts. Pure. */
import { settingGroups } from "./sections/fields.ts";
import type { SettingSection } from "./sections/section.ts";

/** Chinese and Japanese have no spaces between words. */
const unspaced = /[\u3040-\u30ff\u3400-\u9fff]/;

export function queryParts(query: string): string[] {
  return query.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Returns the pattern of the places where one of the words begins a word. */
function patternOf(parts: readonly string[]): RegExp {
  const sources = parts.map((part) => {
    const escaped = part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    return unspaced.test(part) ? escaped : String.raw`(?<![\p{L}\p{N}])${escaped}`;
  });
  return new RegExp(sources.join("|"), "giu");
}

export type MarkedText = { text: string; isHit: boolean };

/** Splits a text at the words of the query. */
export function markHits(text: string, parts: readonly string[]): MarkedText[] {
  if (parts.length === 0) return [{ text, isHit: false }];
  const marked: MarkedText[] = [];
  let end = 0;
  for (const hit of text.matchAll(patternOf(parts))) {
    if (hit.index > end) marked.push({ text: text.slice(end, hit.index), isHit: false });
    marked.push({ text: hit[0], isHit: true });
    end = hit.index + hit[0].length;
  }
  if (end < text.length) marked.push({ text: text.slice(end), isHit: false });
  return marked;
}

/** Returns whether each word begins a word of the text. */
export function matchesAll(text: string, parts: readonly string[]): boolean {
  return parts.every((part) => patternOf([part]).test(text));
}

/** Returns the key of a setting, and its parts as words. */
export function textOfKey(key: string): string {
  return `${key} ${key.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")}`;
}

/**
 * Returns the sections of all tabs that contain each word: in a label, a hint, a title, or the setting's key, of which
 * each part is a word.
 */
export function findSections(query: string, t: (key: string) => string): SettingSection[] {
  const parts = queryParts(query);
  return settingGroups
    .flatMap((group) => group.sections)
    .filter((section) => {
      const texts = [section.title, section.hint ?? ""];
      for (const field of section.fields) texts.push(field.label, field.hint ?? "");
      const keys = section.fields.map(({ key }) => textOfKey(key));
      // The English words find it in every language.
      const whole = [...texts, ...texts.map((text) => text && t(text)), ...keys].join("\n");
      return matchesAll(whole, parts);
    });
}
