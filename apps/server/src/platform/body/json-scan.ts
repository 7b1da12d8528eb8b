import { GatewayError, invalidRequest } from "#errors.ts";
import { LONG_TEXT, type TextRange } from "#platform/memory/long-texts.ts";

/**
 * Scans JSON text while it arrives, before it is parsed. Limits depth and number of values, because a small
 * text with many values takes seconds and gigabytes to parse. Does not check the grammar.
 */
export interface JsonScan {
  /**
   * Takes the text in pieces of any size. Throws `invalid_request` (too deep) and `body_too_large` (too many
   * values or keys).
   */
  push(chunk: Buffer): void;
  /** Number of keys of all objects, including repeated ones. */
  readonly keys: number;
  /** Whether there may be numbers that JavaScript cannot hold. */
  readonly longNumbers: boolean;
  /** Long strings, in order of appearance. */
  readonly longTexts: readonly TextRange[];
  /** Keys of five bytes of the outermost object, such as `model`. */
  readonly shortFields: readonly TextRange[];
  /** Returns the last key of the outermost object; an empty range when there is none. */
  outerField(): TextRange;
  /** For each object with more than MAX_KEYS_OF_ONE keys, the names of the fields that contain it. */
  readonly wide: readonly (readonly TextRange[])[];
}

export const MAX_JSON_DEPTH = 200;
/**
 * Maximum number of keys of one object. Objects that callers define themselves (schemas, arguments) may have
 * more. Programs that read a body handle objects of few keys many times faster.
 */
export const MAX_KEYS_OF_ONE = 1_000;

interface JsonLimits {
  /** Maximum nesting of objects and arrays. */
  depth: number;
  /** Maximum number of strings, numbers, objects and arrays together. */
  values: number;
  /** Maximum number of objects and arrays, which cost several times as much as a number. */
  containers: number;
  /** Maximum number of keys of all objects. */
  keys: number;
}

/** The longest lists of token numbers have 300,000 values; conversations of a thousand turns 10,000 keys. */
const ofRequests: JsonLimits = { depth: MAX_JSON_DEPTH, values: 500_000, containers: 100_000, keys: 20_000 };
/** Strings below this length are searched faster byte by byte than with the native search. */
const SHORT_TEXT = 32;

/** Digits of the shortest number that JavaScript cannot hold, except for those with an exponent. */
const LONG_NUMBER = 16;

const MODEL_LENGTH = "model".length;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

export function createJsonScan(limits: JsonLimits = ofRequests): JsonScan {
  let depth = 0;
  /** By depth: the number of keys of the open object, and the range of its last key. */
  const counts: number[] = [0];
  const keyStarts: number[] = [0];
  const keyEnds: number[] = [0];
  const wide: TextRange[][] = [];
  const shortFields: TextRange[] = [];
  /** Digits of the current number so far. */
  let digits = 0;
  let values = 0;
  let containers = 0;
  let inText = false;
  /** The next byte belongs to an escape that began in the previous chunk. */
  let escaped = false;
  /** Bytes of the previous chunks. */
  let passed = 0;
  let textStart = 0;
  let textEnd = 0;
  const longTexts: TextRange[] = [];

  /**
   * Returns the offset after the closing quote; the chunk's length if the string continues in the next chunk.
   */
  function endOfText(chunk: Buffer, start: number): number {
    let at = start;
    if (escaped) {
      escaped = false;
      at += 1;
    }
    const near = Math.min(chunk.length, at + SHORT_TEXT);
    while (at < near) {
      const byte = chunk[at];
      if (byte === QUOTE) {
        inText = false;
        return at + 1;
      }
      at += byte === BACKSLASH ? 2 : 1;
    }
    while (at < chunk.length) {
      const quote = chunk.indexOf(QUOTE, at);
      const stop = quote < 0 ? chunk.length : quote;
      let backslashes = 0;
      while (stop - backslashes > at && chunk[stop - backslashes - 1] === BACKSLASH) backslashes += 1;
      const open = backslashes % 2 === 1;
      if (quote < 0) {
        escaped = open;
        return stop;
      }
      at = quote + 1;
      if (open) continue;
      inText = false;
      return at;
    }
    // An escape of two bytes may reach into the next chunk.
    escaped = at > chunk.length;
    return chunk.length;
  }

  function enter(): void {
    depth += 1;
    containers += 1;
    if (depth > limits.depth) throw invalidRequest({ reason: "body_too_deep", most: limits.depth });
    if (containers > limits.containers)
      throw new GatewayError("body_too_large", { reason: "body_over_containers", most: limits.containers });
    counts[depth] = 0;
    keyEnds[depth] = 0;
  }

  function countKey(): void {
    scan.keys += 1;
    const count = (counts[depth] ?? 0) + 1;
    counts[depth] = count;
    if (scan.keys > limits.keys)
      throw new GatewayError("body_too_large", { reason: "body_over_keys", most: limits.keys });
    if (count === MAX_KEYS_OF_ONE + 1) wide.push(fieldsAround());
    if (depth === 1 && textEnd - textStart === MODEL_LENGTH)
      shortFields.push({ start: textStart, end: textEnd });
    keyStarts[depth] = textStart;
    keyEnds[depth] = textEnd;
  }

  /** Returns the keys under which the open object is nested. Arrays have none. */
  function fieldsAround(): TextRange[] {
    const fields: TextRange[] = [];
    for (let at = 1; at < depth; at += 1) {
      const end = keyEnds[at] ?? 0;
      if (end > 0) fields.push({ start: keyStarts[at] ?? 0, end });
    }
    return fields;
  }

  // A plain field: creating an object with an accessor takes longer than scanning a short body.
  const scan: { -readonly [Key in keyof JsonScan]: JsonScan[Key] } = {
    keys: 0,
    longNumbers: false,
    longTexts,
    shortFields,
    wide,
    outerField: () => ({ start: keyStarts[1] ?? 0, end: keyEnds[1] ?? 0 }),
    push(chunk) {
      let at = 0;
      while (at < chunk.length) {
        if (inText) {
          at = endOfText(chunk, at);
          if (inText) continue;
          textEnd = passed + at - 1;
          if (textEnd - textStart >= LONG_TEXT) longTexts.push({ start: textStart, end: textEnd });
          continue;
        }
        switch (chunk[at]) {
          case QUOTE:
            inText = true;
            textStart = passed + at + 1;
            break;
          case 0x7b: // {
          case 0x5b: // [
            enter();
            break;
          case 0x7d: // }
          case 0x5d: // ]
            depth -= 1;
            break;
          case 0x2c: // ,
            values += 1;
            digits = 0;
            break;
          case 0x3a: // :
            countKey();
            digits = 0;
            break;
          case 0x45: // E
          case 0x65: // e, also of `true` and `false`
            if (digits > 0) scan.longNumbers = true;
            break;
          default: {
            const byte = chunk[at] as number;
            if (byte >= 0x30 && byte <= 0x39) digits += 1;
            if (digits >= LONG_NUMBER) scan.longNumbers = true;
          }
        }
        at += 1;
      }
      passed += chunk.length;
      if (values > limits.values)
        throw new GatewayError("body_too_large", { reason: "body_over_values", most: limits.values });
    },
  };
  return scan;
}

/**
 * Throws `body_too_large` for an object with too many keys outside the fields whose content belongs to the
 * caller.
 * @param raw the scanned text
 */
export function requireNarrowObjects(raw: Buffer, scan: JsonScan, freeForm: ReadonlySet<string>): void {
  for (const fields of scan.wide) {
    if (fields.some(({ start, end }) => freeForm.has(raw.toString("latin1", start, end)))) continue;
    throw new GatewayError("body_too_large", { reason: "body_object_over_keys", most: MAX_KEYS_OF_ONE });
  }
}
