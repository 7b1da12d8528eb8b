/**
 * Limits of JSON texts that are parsed in one piece: responses and stream events of providers, and JSON within
 * texts, such as the arguments of tool calls. A text with very many keys takes seconds to parse, in which no one
 * else is served. Pure.
 */

/** Shorter texts cannot have enough values to matter, so they are not counted. In characters. */
const SHORT = 64 * 1024;
/** Strings, numbers, objects and arrays together. Long lists of numbers pass as bytes (dialects/media/vectors.ts). */
const MAX_VALUES = 500_000;
const MAX_CONTAINERS = 100_000;
/**
 * Keys. A response with the probabilities of alternatives has up to 64 per token, with few names. New names cost
 * ten times as much, so from `UNNAMED_KEYS` on their number is limited, too.
 */
const MAX_KEYS = 250_000;
const UNNAMED_KEYS = 10_000;
const MAX_NAMES = 10_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Returns whether the text is small enough to be parsed in one piece. Does not check the grammar. */
export function mayParse(text: string): boolean {
  if (text.length <= SHORT) return true;
  const names = new Set<string>();
  let values = 0;
  let containers = 0;
  let keys = 0;
  /** The last string. */
  let start = 0;
  let end = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        start = at + 1;
        at = end = closingQuote(text, start);
        break;
      case 0x7b: // {
      case 0x5b: // [
        containers += 1;
        if (containers > MAX_CONTAINERS) return false;
        break;
      case 0x2c: // ,
        values += 1;
        if (values > MAX_VALUES) return false;
        break;
      case 0x3a: // :
        keys += 1;
        if (keys > UNNAMED_KEYS) names.add(text.slice(start, end));
        if (keys > MAX_KEYS || names.size > MAX_NAMES) return false;
    }
  }
  return true;
}

/**
 * Returns the value with numbers as JavaScript holds them; undefined when the text is not JSON, or too large to be
 * parsed in one piece.
 */
export function parseSmall(text: string): unknown {
  try {
    return mayParse(text) ? (JSON.parse(text) as unknown) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the position of the closing quote of a string; the end of the text when there is none. */
export function closingQuote(text: string, from: number): number {
  for (let quote = text.indexOf('"', from); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (quote - backslashes > from && text.charCodeAt(quote - backslashes - 1) === BACKSLASH)
      backslashes += 1;
    if (backslashes % 2 === 0) return quote;
  }
  return text.length;
}
