import { randomBytes } from "node:crypto";

/**
 * Long texts and base64 of a JSON body stay bytes: the rest of the body is parsed with short placeholders in their place.
 * In the parsed objects each of them is an accessor, which makes the text when it is read; what only passes through is
 * never made into text, and `stringifyLong` puts the original bytes back. Pure.
 */
export interface LongTexts {
  /** The JSON text with placeholders. */
  readonly small: string;
  readonly texts: readonly LongText[];
}

export interface LongText {
  /** As they stand between the quotes, escapes included. */
  readonly bytes: Buffer;
  readonly isEscaped: boolean;
}

/** Offsets of the bytes between the quotes of a string. */
export interface TextRange {
  start: number;
  end: number;
}

/** Bytes from which a string is taken out. */
export const LONG_TEXT = 4_096;

/** The fields of all wires in which texts and base64 stand; what is elsewhere may be read for settings. */
const fields = new Set(["content", "text", "url", "image_url", "data", "file_data", "input", "prompt"]);
const LONGEST_FIELD = 16;

/** No caller can guess it, so it stands in no text of theirs. */
const MARK = `@${randomBytes(12).toString("hex")}.`;
const MARK_END = "@";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const FIRST_PRINTED = 0x20;

/**
 * Takes long strings out of a valid UTF-8 JSON text. Undefined when there are none, or when one of them is no JSON
 * string: then the text must be parsed whole, which says what is wrong.
 * @param ranges all strings of at least LONG_TEXT bytes, in order
 */
export function takeLongTexts(raw: Buffer, ranges: readonly TextRange[]): LongTexts | undefined {
  const texts: LongText[] = [];
  let small = "";
  let at = 0;
  for (const { start, end } of ranges) {
    if (!fields.has(fieldBefore(raw, start - 1))) continue;
    const from = withoutDataUrl(raw, start, end);
    if (from === undefined) continue;
    const escapes = escapesIn(raw, from, end);
    if (escapes === undefined) return undefined;
    small += raw.toString("utf8", at, from) + MARK + texts.length + MARK_END;
    texts.push({ bytes: raw.subarray(from, end), isEscaped: escapes > 0 });
    at = end;
  }
  return texts.length === 0 ? undefined : { small: small + raw.toString("utf8", at, raw.length), texts };
}

/** The name of the field whose value begins at `at`; "" for an entry of a list, a key, and an escaped name. */
function fieldBefore(raw: Buffer, at: number): string {
  let before = at - 1;
  const skipSpace = () => {
    while (before >= 0 && (raw[before] ?? 0) <= FIRST_PRINTED) before -= 1;
  };
  skipSpace();
  if (raw[before] !== COLON) return "";
  before -= 1;
  skipSpace();
  const end = before;
  const begin = raw.lastIndexOf(QUOTE, end - 1);
  if (raw[end] !== QUOTE || begin < 0 || raw[begin - 1] === BACKSLASH || end - begin > LONGEST_FIELD)
    return "";
  return raw.toString("latin1", begin + 1, end);
}

/** Where the part begins that no one reads: behind the head of a data URL. Undefined for one that is not base64. */
function withoutDataUrl(raw: Buffer, start: number, end: number): number | undefined {
  const head = raw.toString("latin1", start, Math.min(end, start + MAX_DATA_HEAD)).toLowerCase();
  if (!head.startsWith("data:")) return start;
  const comma = head.indexOf(",");
  return head.slice(0, Math.max(0, comma)).endsWith(";base64") && !head.slice(0, comma).includes("\\")
    ? start + comma + 1
    : undefined;
}

const MAX_DATA_HEAD = 256;

/** How many escapes a string has; undefined when it has a control character or a wrong escape. */
function escapesIn(raw: Buffer, start: number, end: number): number | undefined {
  const base = start + ((4 - ((raw.byteOffset + start) % 4)) % 4);
  // One view for the whole string: a text of escapes only must not make one for each of them.
  const words =
    base < end ? new Int32Array(raw.buffer, raw.byteOffset + base, (end - base) >> 2) : new Int32Array(0);
  let count = 0;
  let at = start;
  while (at < end) {
    if (at >= base && (at - base) % 4 === 0) at = base + plainWords(words, (at - base) >> 2) * 4;
    if (at >= end) break;
    const byte = raw[at] ?? 0;
    if (byte < FIRST_PRINTED) return undefined;
    if (byte !== BACKSLASH) at += 1;
    else {
      const length = escapeAt(raw, at, end);
      if (length === 0) return undefined;
      count += 1;
      at += length;
    }
  }
  return count;
}

/** Passes words of four bytes that have neither a control character nor a backslash, eight words at a time at first. */
function plainWords(words: Int32Array, start: number): number {
  const last = words.length;
  let index = start;
  // Within the list: no entry is undefined, and a check of each would double the time.
  const at = (place: number) => special(words[place] as number);
  for (; index + 8 <= last; index += 8) {
    const found = at(index) | at(index + 1) | at(index + 2) | at(index + 3);
    if (((found | at(index + 4) | at(index + 5) | at(index + 6) | at(index + 7)) & HIGH_BITS) !== 0) break;
  }
  while (index < last && (at(index) & HIGH_BITS) === 0) index += 1;
  return index;
}

const HIGH_BITS = 0x80808080;

/** The highest bit of a byte is set where the byte is less than 0x20, or where it is a backslash. */
function special(word: number): number {
  const crossed = word ^ 0x5c5c5c5c;
  return ((word - 0x20202020) & ~word) | ((crossed - 0x01010101) & ~crossed);
}

/** What may stand behind a backslash, but for codes; and the digits of a code. By byte: this runs for each escape. */
const single = flags('"\\/bfnrt');
const digit = flags("0123456789abcdefABCDEF");

function flags(characters: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const byte of Buffer.from(characters)) table[byte] = 1;
  return table;
}

/** Bytes of the escape; 0 when it is none. */
function escapeAt(raw: Buffer, at: number, end: number): number {
  const next = raw[at + 1] ?? 0;
  if (at + 1 < end && single[next] === 1) return 2;
  if (next !== 0x75 || at + 6 > end) return 0;
  for (let place = at + 2; place < at + 6; place += 1) if (digit[raw[place] ?? 0] !== 1) return 0;
  return 6;
}

/** While this is above 0, accessors answer their placeholders. */
let showing = 0;

/** Runs what passes texts on but does not read them: it sees placeholders, and answers with them. */
export function withPlaceholders<T>(run: () => T): T {
  showing += 1;
  try {
    return run();
  } finally {
    showing -= 1;
  }
}

/**
 * What an object or a body has of long texts. Not a WeakMap: its values would outlive every collection of young objects,
 * and with them the bytes of each body until all memory is collected.
 */
const LONG = Symbol("long texts");

interface Marked {
  /** Which fields of an object are accessors, and of what. */
  [LONG]?: Map<string, LongText>;
}

interface MarkedBody {
  [LONG]?: LongTexts;
}

/**
 * Turns every placeholder in objects and lists into an accessor.
 * @returns whether every text stands there, and none of them as a part of another one: what is made of a placeholder (a
 * text in another coding, or JSON within a text) is not what would be made of the text
 */
export function defineAccessors(value: unknown, { texts }: LongTexts): boolean {
  const found = new Set<LongText>();
  const areWhole = withPlaceholders(() => define(value, texts, found));
  return areWhole && found.size === texts.length;
}

function define(value: unknown, texts: readonly LongText[], found: Set<LongText>): boolean {
  if (typeof value !== "object" || value === null) return true;
  let areWhole = true;
  for (const key of Object.keys(value)) {
    const inner: unknown = (value as Record<string, unknown>)[key];
    if (typeof inner === "object") areWhole = define(inner, texts, found) && areWhole;
    else if (typeof inner === "string" && inner.includes(MARK))
      areWhole = defineOne(value, key, inner, texts, found) && areWhole;
  }
  return areWhole;
}

function defineOne(
  owner: object,
  key: string,
  placeholder: string,
  texts: readonly LongText[],
  found: Set<LongText>,
): boolean {
  let text: string | undefined;
  Object.defineProperty(owner, key, {
    enumerable: true,
    configurable: true,
    get: () => (showing > 0 ? placeholder : (text ??= restored(placeholder, texts))),
    set(value: unknown) {
      (owner as Marked)[LONG]?.delete(key);
      Object.defineProperty(owner, key, { enumerable: true, configurable: true, writable: true, value });
    },
  });
  const parts = pieces(placeholder, texts);
  const last = parts.at(-1);
  if (last === undefined || typeof last === "string") return false;
  found.add(last);
  if (parts.length > 1) return parts.length === 2 && placeholder.startsWith("data:");
  const known = (owner as Marked)[LONG];
  if (known === undefined) Object.defineProperty(owner, LONG, { value: new Map([[key, last]]) });
  else known.set(key, last);
  return true;
}

/** The bytes of a field that is a long text and nothing else; undefined for any other. */
export function longTextOf(owner: object, key: string): LongText | undefined {
  return (owner as Marked)[LONG]?.get(key);
}

/** Texts of a placeholder and between placeholders, in order. */
function pieces(text: string, texts: readonly LongText[]): (string | LongText)[] {
  const found: (string | LongText)[] = [];
  let at = 0;
  for (let mark = text.indexOf(MARK); mark !== -1; mark = text.indexOf(MARK, at)) {
    const end = text.indexOf(MARK_END, mark + MARK.length);
    const long = texts[Number(text.slice(mark + MARK.length, end))];
    if (long === undefined) throw new Error("A placeholder belongs to another body.");
    if (mark > at) found.push(text.slice(at, mark));
    found.push(long);
    at = end + MARK_END.length;
  }
  if (at < text.length) found.push(text.slice(at));
  return found;
}

function restored(placeholder: string, texts: readonly LongText[]): string {
  return pieces(placeholder, texts)
    .map((piece) => (typeof piece === "string" ? piece : textOf(piece)))
    .join("");
}

function textOf({ bytes, isEscaped }: LongText): string {
  const text = bytes.toString("utf8");
  return isEscaped ? (JSON.parse(`"${text}"`) as string) : text;
}

/** The JSON of a value, with the bytes that came in the place of accessors and placeholders. */
export function stringifyLong(value: unknown, { texts }: LongTexts): Buffer {
  const json = withPlaceholders(() => JSON.stringify(value));
  const parts = pieces(json, texts).map((piece) =>
    typeof piece === "string" ? Buffer.from(piece) : piece.bytes,
  );
  return Buffer.concat(parts);
}

/** Notes which texts a body was taken without: for those that send it on. */
export function rememberLongTexts(raw: Buffer, long: LongTexts): void {
  (raw as MarkedBody)[LONG] = long;
}

/** The long texts of a body, as it came or as it was written anew. */
export function longTextsOf(raw: Buffer | undefined): LongTexts | undefined {
  return (raw as MarkedBody | undefined)?.[LONG];
}
