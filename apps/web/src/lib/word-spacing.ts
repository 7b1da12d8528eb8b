import type { PostProcessorModule } from "i18next";

const ideograph = "[\\u3000-\\u30FF\\u3400-\\u9FFF\\uFF01-\\uFF60]";
const extraSpace = new RegExp(`(${ideograph}) (?=${ideograph})`, "g");

/**
 * Removes the spaces around inserted Chinese or Japanese words: "已创建 令牌" → "已创建令牌". Translations have these
 * spaces for inserted Latin words and numbers. Values with such a space, like names of users, are not changed.
 */
export function withoutExtraSpaces(text: string, values: object): string {
  return Object.values(values).join("|").search(extraSpace) < 0 ? text.replace(extraSpace, "$1") : text;
}

/**
 * Returns the text with the space that separates it from what follows on the line. Full-width punctuation contains that
 * space, and between Chinese or Japanese words there is none.
 * @param next the text that follows, if it may start with such a word
 */
export function withSpace(text: string, next = ""): string {
  if (/[、-』！-？]$/.test(text)) return text;
  return withoutExtraSpaces(`${text} ${next}`, {}).slice(0, -next.length || undefined);
}

/** Applies `withoutExtraSpaces` to every message. */
export const wordSpacing: PostProcessorModule = {
  type: "postProcessor",
  name: "wordSpacing",
  process: (text, _key, values) => withoutExtraSpaces(text, values),
};
