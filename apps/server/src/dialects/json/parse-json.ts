/**
 * How JSON from outside is parsed. Its numbers keep their text: `JSON.parse` rounds integers above 2^53, such as ids in the
 * arguments of a tool call, and turns numbers above 10^308 into `null` when they are written again. Such a number is parsed
 * to an object that `JSON.stringify` writes exactly as it came. Texts of providers, and JSON within texts, have limits: a
 * text with very many keys takes seconds to parse, in which no one else is served. Pure.
 */

/** A number that JavaScript cannot hold. */
export interface ExactNumber {
  readonly rawJSON: string;
}

/** Functions of Node.js that the type library does not declare yet. */
const json = JSON as typeof JSON & {
  rawJSON(text: string): ExactNumber;
  isRawJSON(value: unknown): value is ExactNumber;
};

/** Finds most texts without such a number. It may find others, too. */
const perhapsLong = /(?:^|[[:,\s])-?(?:\d[\d.]{15}|\d+(?:\.\d+)?[eE]\+?\d{3})/;

/** Significant digits that every number of JavaScript keeps. */
const SAFE_DIGITS = 17;

export function isExactNumber(value: unknown): value is ExactNumber {
  return typeof value === "object" && value !== null && json.isRawJSON(value);
}

/** @param text a number in JSON */
export function exactNumber(text: string): number | ExactNumber {
  const value = Number(text);
  return isKept(value, text) ? value : json.rawJSON(text);
}

function isKept(value: number, text: string): boolean {
  if (!Number.isFinite(value)) return false;
  if (/^-?\d+$/.test(text)) return Number.isSafeInteger(value) || String(value) === text;
  const [digits = ""] = text.split(/[eE]/, 1);
  return digits.replaceAll(/\D/g, "").replace(/^0+/, "").length <= SAFE_DIGITS;
}

function keepNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || context?.source === undefined) return value;
  return isKept(value, context.source) ? value : json.rawJSON(context.source);
}

/** Parses JSON. Throws SyntaxError. */
export function parseExact(text: string, mayBeLong = perhapsLong.test(text)): unknown {
  return mayBeLong ? (JSON.parse(text, keepNumber) as unknown) : (JSON.parse(text) as unknown);
}

/** Fields of a request that may hold any 64-bit number. */
const anyNumber = new Set(["seed", "random_seed"]);

/**
 * Rounds the numbers of the settings of a request, which are at its root: they are read as numbers. Numbers
 * further inside belong to schemas, arguments and metadata, which pass through.
 */
export function roundSettings(body: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(body))
    if (isExactNumber(value) && !anyNumber.has(key)) body[key] = Number(value.rawJSON);
}

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

/** Returns the value, or undefined when the text is not JSON, or too large to be parsed in one piece. */
export function parseJson(text: string): unknown {
  try {
    return mayParse(text) ? parseExact(text) : undefined;
  } catch {
    return undefined;
  }
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
