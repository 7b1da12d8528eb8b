/** Control characters but tab and line feed, and those that change the direction of text. */
const control = /[\0-\x08\x0B-\x1F\x7F-\x9F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** Shows control characters as escapes: names of accounts and channels must not control the terminal. */
export function visible(text: string): string {
  return text.replaceAll(control, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
