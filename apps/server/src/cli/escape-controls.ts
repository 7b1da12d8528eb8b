/** Control characters but tab and line feed, and those that change the direction of text. */
const control = /(?![\t\n])[\p{Cc}\p{Bidi_Control}]/gu;

/** Shows control characters as escapes: names of accounts and channels must not control the terminal. */
export function escapeControls(text: string): string {
  return text.replaceAll(control, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
