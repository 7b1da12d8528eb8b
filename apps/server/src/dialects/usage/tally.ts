/**
 * Reads a few values from JSON text without parsing it. A key cannot be mistaken for text inside a string:
 * there its closing quote is escaped. A string value equal to the key is not followed by a colon. Keys
 * include their closing quote only: a search for an opening quote would stop at every string.
 */
import type { CharacterCount, Wire } from "#dialects/dialect.ts";
import type { Usage } from "#dialects/ir.ts";
import { parseRecord } from "#dialects/wire.ts";

const quote = 0x22;
const colon = 0x3a;
const backslash = 0x5c;
const letterU = 0x75;
const letterN = 0x6e;
const space = 0x20;
const firstWide = 0x300;

export function emptyTally(): CharacterCount {
  return { narrow: 0, wide: 0 };
}

/**
 * Returns whether our own count of the text of a complete response can matter for its bill. It replaces a count
 * that the provider left out, and zeros. Counting a long text takes longer than everything else that happens to it.
 */
export function needsCount(usage: Usage | undefined): boolean {
  if (usage === undefined || usage.missing !== undefined) return true;
  const { input, output, reasoning = 0 } = usage;
  const isSound = Number.isSafeInteger(input) && Number.isSafeInteger(output) && input > 0;
  return !(isSound && output > Math.max(0, reasoning));
}

/** Adds a UTF-16 code unit to the tally. The second one of a pair does not count. */
export function countCode(tally: CharacterCount, code: number): void {
  if (code < firstWide) {
    tally.narrow += 1;
    if (code <= space) tally.spaces = (tally.spaces ?? 0) + 1;
  } else if (code < 0xdc00 || code > 0xdfff) tally.wide += 1;
}

/** Adds plain text to the tally. */
function tallyPlain(text: string, tally: CharacterCount): void {
  for (let at = 0; at < text.length; at += 1) countCode(tally, text.charCodeAt(at));
}

/** Adds the JSON string whose first character is at `from`. Returns the position after its closing quote. */
function tallyString(json: string, from: number, tally: CharacterCount): number {
  // Numbers of their own: writing each character into the tally takes twice as long.
  let narrow = 0;
  let wide = 0;
  let spaces = 0;
  let at = from;
  while (at < json.length) {
    let code = json.charCodeAt(at);
    at += 1;
    if (code === quote) break;
    if (code === backslash) {
      const letter = json.charCodeAt(at);
      at += 1;
      code = letter === letterN ? space : letter;
      if (letter === letterU) {
        code = Number.parseInt(json.slice(at, at + 4), 16) || 0;
        at += 4;
      }
    }
    if (code < firstWide) {
      narrow += 1;
      if (code <= space) spaces += 1;
    } else if (code < 0xdc00 || code > 0xdfff) wide += 1;
  }
  tally.narrow += narrow;
  tally.wide += wide;
  if (spaces > 0) tally.spaces = (tally.spaces ?? 0) + spaces;
  return at;
}

/** Counts the JSON string from `from` to `end`; returns undefined when its closing quote is elsewhere. */
export function tallyText(json: string, from: number, end: number): CharacterCount | undefined {
  const tally = emptyTally();
  return tallyString(json, from, tally) === end + 1 ? tally : undefined;
}

export function addTally(
  tally: CharacterCount,
  { narrow, wide, spaces = 0 }: Readonly<CharacterCount>,
): void {
  tally.narrow += narrow;
  tally.wide += wide;
  if (spaces > 0) tally.spaces = (tally.spaces ?? 0) + spaces;
}

/** From this length on, a text has fewer quotes than letters with which keys begin. */
const LONG_JSON = 16 * 1024;

/** Returns the position of a key from `from` on, or -1. In a short text its opening quote may be missing. */
function keyAt(json: string, key: string, from = 0): number {
  if (json.length < LONG_JSON) return json.indexOf(key, from);
  const at = json.indexOf(`"${key}`, from - 1);
  return at === -1 ? -1 : at + 1;
}

/** Does the same backwards, for the last key that begins at `from` or before. */
function lastKeyAt(json: string, key: string, from = json.length): number {
  if (json.length < LONG_JSON) return json.lastIndexOf(key, from);
  const at = from === 0 ? -1 : json.lastIndexOf(`"${key}`, from - 1);
  return at === -1 ? -1 : at + 1;
}

/** Returns the position of the value of the key at `at`, or -1 when there is no key at `at`. */
function valueAt(json: string, key: string, at: number): number {
  if (json.charCodeAt(at - 1) !== quote) return -1;
  let next = at + key.length;
  while (json.charCodeAt(next) <= 0x20) next += 1;
  if (json.charCodeAt(next) !== colon) return -1;
  next += 1;
  while (json.charCodeAt(next) <= 0x20) next += 1;
  return next;
}

/** Adds every string value of the key. Returns whether there was one. */
export function tallyValues(json: string, key: string, tally: CharacterCount): boolean {
  let found = false;
  let at = keyAt(json, key);
  while (at !== -1) {
    const value = valueAt(json, key, at);
    let next = at + key.length;
    if (value !== -1 && json.charCodeAt(value) === quote) {
      next = tallyString(json, value + 1, tally);
      found = true;
    }
    at = keyAt(json, key, next);
  }
  return found;
}

/** Returns the range between the quotes of the first string under one of the keys that is not empty. */
export function textAt(json: string, keys: readonly string[]): { from: number; end: number } | undefined {
  for (const key of keys)
    for (let at = keyAt(json, key); at !== -1; at = keyAt(json, key, at + key.length)) {
      const value = valueAt(json, key, at);
      if (value === -1 || json.charCodeAt(value) !== quote) continue;
      const end = tallyString(json, value + 1, emptyTally()) - 1;
      if (end > value + 1) return { from: value + 1, end };
    }
  return undefined;
}

/** Returns whether the key occurs with a string that is not empty. */
export function hasText(json: string, key: string): boolean {
  return textAt(json, [key]) !== undefined;
}

/** Returns whether the key occurs with a value that starts with `begin`, e.g. `"`, `{`, `[`. */
export function hasValue(json: string, key: string, begin: string): boolean {
  let at = keyAt(json, key);
  while (at !== -1) {
    const value = valueAt(json, key, at);
    if (value !== -1 && json.startsWith(begin, value)) return true;
    at = keyAt(json, key, at + key.length);
  }
  return false;
}

function closingBrace(json: string, from: number): number {
  let depth = 0;
  let inString = false;
  for (let at = from; at < json.length; at += 1) {
    const char = json[at];
    if (inString) {
      if (char === "\\") at += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "{") depth += 1;
    else if (char === "}") {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return -1;
}

/**
 * Adds every object of the key as it is written, for formats with call arguments as objects. Returns the JSON
 * without these objects, because their own keys are counted with them.
 */
export function tallyObjects(json: string, key: string, tally: CharacterCount): string {
  let rest = "";
  let from = 0;
  let at = keyAt(json, key);
  while (at !== -1) {
    const value = valueAt(json, key, at);
    const end = value !== -1 && json[value] === "{" ? closingBrace(json, value) : -1;
    if (end !== -1) {
      tallyPlain(json.slice(value, end + 1), tally);
      rest += json.slice(from, value);
      from = end + 1;
    }
    at = keyAt(json, key, end === -1 ? at + key.length : end);
  }
  return from === 0 ? json : rest + json.slice(from);
}

/** Returns the last text under the key, without decoding escapes; undefined when there is none. */
export function lastText(json: string, key: string): string | undefined {
  let at = lastKeyAt(json, key);
  while (at !== -1) {
    const value = valueAt(json, key, at);
    if (value !== -1 && json.charCodeAt(value) === quote)
      return json.slice(value + 1, tallyString(json, value + 1, emptyTally()) - 1);
    at = at === 0 ? -1 : lastKeyAt(json, key, at - 1);
  }
  return undefined;
}

/** Returns the last object under the key, parsed separately. */
export function lastObject(json: string, key: string): Wire | undefined {
  let at = lastKeyAt(json, key);
  while (at !== -1) {
    const value = valueAt(json, key, at);
    if (value !== -1 && json[value] === "{") {
      const end = closingBrace(json, value);
      return end === -1 ? undefined : parseRecord(json.slice(value, end + 1));
    }
    at = at === 0 ? -1 : lastKeyAt(json, key, at - 1);
  }
  return undefined;
}
