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

/** Applies `withoutExtraSpaces` to every message. */
export const wordSpacing: PostProcessorModule = {
  type: "postProcessor",
  name: "wordSpacing",
  process: (text, _key, values) => withoutExtraSpaces(text, values),
};
