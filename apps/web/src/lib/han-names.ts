/** Spaces around names in Chinese texts: a text has them for Latin names, and Chinese names need none. */
import type { PostProcessorModule } from "i18next";

/**
 * Removes the space between a Chinese word of a text and a Chinese name that was inserted: "绑定 微信" → "绑定微信".
 * @param names the inserted values; what they contain is not changed
 */
export function joinHanNames(text: string, names: readonly unknown[]): string {
  let joined = text;
  for (const name of names) {
    if (typeof name !== "string" || name === "") continue;
    if (/^\p{Script=Han}/u.test(name))
      joined = joined.replaceAll(new RegExp(`(?<=\\p{Script=Han}) (?=${escaped(name)})`, "gu"), "");
    if (/\p{Script=Han}$/u.test(name))
      joined = joined.replaceAll(new RegExp(`(?<=${escaped(name)}) (?=\\p{Script=Han})`, "gu"), "");
  }
  return joined;
}

const escaped = (name: string) => name.replaceAll(/[.*+?^${}()|[\]\\/-]/g, "\\$&");

export const hanNames: PostProcessorModule = {
  type: "postProcessor",
  name: "hanNames",
  process: (text, _key, options, translator: { language: string }) =>
    translator.language.startsWith("zh") ? joinHanNames(text, Object.values(options)) : text,
};
