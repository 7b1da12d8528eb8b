/** Quotes values for the languages of commands and settings files. Pure. */

/** A JSON string, which TOML, YAML, Python and TypeScript read as the same text. */
export function quoteJson(text: string): string {
  // TOML forbids U+007F, which JSON does not escape.
  return JSON.stringify(text).replaceAll("\u007F", "\\u007F");
}

const plainWord = /^[\w@%+=:,./-]+$/;

/** One word of sh, bash and zsh. */
export function shellWord(text: string): string {
  return plainWord.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A JSON string inside a text in single quotes of a shell. */
export function quotedInShell(text: string): string {
  return quoteJson(text).replaceAll("'", `'\\''`);
}

/** The name of a model as part of a URL's path, which may contain slashes. */
export function inUrlPath(text: string): string {
  return text.replaceAll(/[^\w.:@/+<>-]+/g, (unusual) => encodeURIComponent(unusual));
}

/** One word of PowerShell, in which typographic quotes end a text, too. */
export function powershellWord(text: string): string {
  return `'${text.replaceAll(/['‘’‚‛]/g, "$&$&")}'`;
}

/** The value of a line in a `.env` file. */
export function envValue(text: string): string {
  if (plainWord.test(text)) return text;
  return text.includes("'") ? quoteJson(text) : `'${text}'`;
}

/** Settings as a JSON file with a line break at its end. */
export function jsonFile(settings: object): string {
  return `${JSON.stringify(settings, null, 2)}\n`;
}

/** JSON without characters beyond ASCII. */
export function asciiJson(value: object): string {
  return JSON.stringify(value).replaceAll(
    /[\u007F-\uFFFF]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Standard base64 of ASCII text. This package uses no function of a browser or of Node. */
export function base64(ascii: string): string {
  let encoded = "";
  for (let at = 0; at < ascii.length; at += 3) {
    const [first = 0, second = 0, third = 0] = [0, 1, 2].map((step) => ascii.charCodeAt(at + step) || 0);
    const bits = (first << 16) | (second << 8) | third;
    const missing = Math.max(0, at + 3 - ascii.length);
    const letters = [18, 12, 6, 0].slice(0, 4 - missing).map((shift) => digits[(bits >> shift) & 63] ?? "");
    encoded += letters.join("") + "=".repeat(missing);
  }
  return encoded;
}
