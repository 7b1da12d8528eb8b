import type { PostProcessorModule } from "i18next";

/** A Chinese or Japanese character or punctuation mark. No space separates two of them. */
const ideograph = /[\u3000-\u30FF\u3400-\u9FFF\uFF01-\uFF60]/;

function adjoin(left: string, right: string): boolean {
  return ideograph.test(left.slice(-1)) && ideograph.test(right.charAt(0));
}

/** Returns what separates two words of a sentence: nothing in Chinese and Japanese. */
export function spaceBetween(left: string, right: string): string {
  return adjoin(left, right) ? "" : " ";
}

/**
 * Removes the spaces around inserted Chinese or Japanese words: "已创建 令牌" → "已创建令牌". Translations have these
 * spaces for inserted Latin words and numbers.
 */
export function withoutExtraSpaces(text: string, values: object): string {
  let joined = text;
  for (const value of Object.values(values)) {
    if (typeof value !== "string" || !ideograph.test(value) || !joined.includes(" ")) continue;
    joined = joined.split(value).reduce((before, after) => {
      const left = before.endsWith(" ") && adjoin(before.slice(0, -1), value) ? before.slice(0, -1) : before;
      const right = after.startsWith(" ") && adjoin(value, after.slice(1)) ? after.slice(1) : after;
      return left + value + right;
    });
  }
  return joined;
}

/** Applies `withoutExtraSpaces` to every message. */
export const wordSpacing: PostProcessorModule = {
  type: "postProcessor",
  name: "wordSpacing",
  process: (text, _key, values) => withoutExtraSpaces(text, values),
};
