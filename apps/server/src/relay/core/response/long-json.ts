/** Responses with texts of megabytes are handled in pieces, so that other requests are served in between. */
import { randomBytes } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isExactNumber, closingQuote } from "#dialects/json/parse-json.ts";

/** Characters that are handled in one piece. */
const PIECE = 256 * 1024;

/** Whether a text is handled in pieces. */
export function isLong(text: string): boolean {
  return text.length > PIECE;
}

/** Returns the JSON of a value that may contain long texts. It is the same as that of `JSON.stringify`. */
export async function stringifyInPieces(value: unknown): Promise<string> {
  const texts: string[] = [];
  // Random, so that it appears in no text.
  const mark = `@${randomBytes(12).toString("hex")}.`;
  const json = JSON.stringify(value, (_key, each: unknown) =>
    typeof each === "string" && isLong(each) ? `${mark}${texts.push(each) - 1}@` : each,
  );
  let written = "";
  let from = 0;
  for (const [index, text] of texts.entries()) {
    const place = `${mark}${index}@`;
    const at = json.indexOf(place, from);
    written += json.slice(from, at);
    for (let start = 0; start < text.length;) {
      const end = endOfPiece(text, start);
      written += JSON.stringify(text.slice(start, end)).slice(1, -1);
      start = end;
      await nextTurn();
    }
    from = at + place.length;
  }
  return written + json.slice(from);
}

/** Returns the end of a piece. It does not separate the halves of a character, which would be escaped. */
function endOfPiece(text: string, start: number): number {
  const end = Math.min(text.length, start + PIECE);
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end + 1 : end;
}

/**
 * Parses a JSON text that may contain long strings. They are taken out, and decoded in pieces.
 * @param parse parses the rest; returns undefined for a text that cannot be read
 */
export async function parseInPieces(text: string, parse: (rest: string) => unknown): Promise<unknown> {
  const mark = `@${randomBytes(12).toString("hex")}.`;
  const places = new Map<string, string>();
  let rest = "";
  let from = 0;
  let pausedAt = 0;
  for (let quote = text.indexOf('"'); quote !== -1;) {
    const end = closingQuote(text, quote + 1);
    if (end - pausedAt > PIECE) {
      pausedAt = end;
      await nextTurn();
    }
    if (end - quote > PIECE) {
      const decoded = await decodeInPieces(text.slice(quote + 1, end));
      if (decoded === undefined) return undefined;
      const place = `${mark}${places.size}@`;
      places.set(place, decoded);
      rest += `${text.slice(from, quote + 1)}${place}`;
      from = end;
    }
    quote = text.indexOf('"', end + 1);
  }
  const value = parse(rest + text.slice(from));
  return places.size === 0 ? value : putBack(value, places);
}

/** Returns the text of a JSON string without its quotes; undefined when it is not valid. */
async function decodeInPieces(written: string): Promise<string | undefined> {
  let text = "";
  for (let start = 0; start < written.length;) {
    const end = endOfEscapes(written, start);
    try {
      text += JSON.parse(`"${written.slice(start, end)}"`) as string;
    } catch {
      return undefined;
    }
    start = end;
    await nextTurn();
  }
  return text;
}

/** Maximum length of an escape. */
const ESCAPE = 6;

/** Returns the end of a piece that does not separate an escape. */
function endOfEscapes(written: string, start: number): number {
  const end = Math.min(written.length, start + PIECE);
  if (end === written.length) return end;
  for (let at = end - ESCAPE + 1; at < end; at += 1) {
    if (written[at] !== "\\") continue;
    let before = 0;
    while (written[at - before - 1] === "\\") before += 1;
    const length = written[at + 1] === "u" ? ESCAPE : 2;
    if (before % 2 === 0 && at + length > end) return at;
  }
  return end;
}

/** Puts the long texts back into the parsed value. */
function putBack(value: unknown, places: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") return places.get(value) ?? value;
  if (typeof value !== "object" || value === null || isExactNumber(value)) return value;
  for (const [key, each] of Object.entries(value)) {
    const put = putBack(each, places);
    if (put !== each) (value as Record<string, unknown>)[key] = put;
  }
  return value;
}
