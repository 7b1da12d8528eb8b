import { GatewayError, invalidRequest } from "#errors.ts";
import { LONG_TEXT, type TextRange } from "./long-texts.ts";

/**
 * Scans JSON text while it arrives, before it is parsed. Limits depth and number of values, because a small
 * text with many values takes seconds and gigabytes to parse. Does not check the grammar.
 */
export interface JsonScan {
  /**
   * Takes the text in pieces of any size. Throws `invalid_request` (too deep) and `body_too_large` (too many
   * values).
   */
  push(chunk: Buffer): void;
  /** Number of keys of all objects, including repeated ones. */
  readonly keys: number;
  /** Whether there may be numbers that JavaScript cannot hold. */
  readonly longNumbers: boolean;
  /** Long strings, in order of appearance. */
  readonly longTexts: readonly TextRange[];
}

export const MAX_JSON_DEPTH = 200;
/**
 * Maximum number of strings, numbers, objects and arrays together. The longest lists of token numbers have
 * 300,000.
 */
const MAX_VALUES = 500_000;
/** Maximum number of objects and arrays, which cost several times as much as a number. */
const MAX_CONTAINERS = 100_000;
/** Strings below this length are searched faster byte by byte than with the native search. */
const SHORT_TEXT = 32;

/** Digits of the shortest number that JavaScript cannot hold, except for those with an exponent. */
const LONG_NUMBER = 16;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

export function createJsonScan(): JsonScan {
  let depth = 0;
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
    if (depth > MAX_JSON_DEPTH) throw invalidRequest({ reason: "body_too_deep", most: MAX_JSON_DEPTH });
    if (containers > MAX_CONTAINERS)
      throw new GatewayError("body_too_large", { reason: "body_over_containers", most: MAX_CONTAINERS });
  }

  // A plain field: creating an object with an accessor takes longer than scanning a short body.
  const scan: { -readonly [Key in keyof JsonScan]: JsonScan[Key] } = {
    keys: 0,
    longNumbers: false,
    longTexts,
    push(chunk) {
      let at = 0;
      while (at < chunk.length) {
        if (inText) {
          at = endOfText(chunk, at);
          const end = passed + at - 1;
          if (!inText && end - textStart >= LONG_TEXT) longTexts.push({ start: textStart, end });
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
            scan.keys += 1;
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
      if (values > MAX_VALUES)
        throw new GatewayError("body_too_large", { reason: "body_over_values", most: MAX_VALUES });
    },
  };
  return scan;
}
