import { randomBytes } from "node:crypto";

/**
 * Keeps long texts and base64 of a JSON body as bytes. The rest of the body is parsed with short placeholders
 * in their place. In the parsed objects each long text is an accessor that decodes it when it is read. Texts
 * that only pass through are never decoded: `stringifyLong` puts the original bytes back. Pure.
 */
export interface LongTexts {
  /** The JSON text with placeholders. */
  readonly small: string;
  readonly texts: readonly LongText[];
}

export interface LongText {
  /** The bytes between the quotes, escapes included. */
  readonly bytes: Buffer;
  readonly isEscaped: boolean;
}

/** Offsets of the bytes between the quotes of a string. */
export interface TextRange {
  start: number;
  end: number;
}

/** Minimum length of a string that is taken out, in bytes. */
export const LONG_TEXT = 4_096;

/** Fields of all wire formats that carry texts and base64. Other fields may be read for settings. */
const fields = new Set(["content", "text", "url", "image_url", "data", "file_data", "input", "prompt"]);
const LONGEST_FIELD = 16;

/** Random, so callers cannot guess it and it appears in none of their texts. */
const MARK = `@${randomBytes(12).toString("hex")}.`;
const MARK_END = "@";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const FIRST_PRINTED = 0x20;

/**
 * Takes long strings out of a valid UTF-8 JSON text. Returns undefined when there are none, or when one of
 * them is not a valid JSON string. The text must then be parsed whole, which reports the error.
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

/**
 * Returns the name of the field whose value begins at `at`; "" for an array element, a key, and an escaped
 * name.
 */
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

/**
 * Returns where the payload begins, after the head of a data URL. Undefined for a data URL that is not
 * base64.
 */
function withoutDataUrl(raw: Buffer, start: number, end: number): number | undefined {
  const head = raw.toString("latin1", start, Math.min(end, start + MAX_DATA_HEAD)).toLowerCase();
  if (!head.startsWith("data:")) return start;
  const comma = head.indexOf(",");
  return head.slice(0, Math.max(0, comma)).endsWith(";base64") && !head.slice(0, comma).includes("\\")
    ? start + comma + 1
    : undefined;
}

const MAX_DATA_HEAD = 256;

/** Counts the escapes of a string. Returns undefined when it has a control character or an invalid escape. */
function escapesIn(raw: Buffer, start: number, end: number): number | undefined {
  const base = start + ((4 - ((raw.byteOffset + start) % 4)) % 4);
  // One view for the whole string: a text of nothing but escapes must not create one per escape.
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

/** Skips words of four bytes without control characters and backslashes, first eight words at a time. */
function plainWords(words: Int32Array, start: number): number {
  const last = words.length;
  let index = start;
  // Always within bounds, so no element is undefined. Checking each one would double the time.
  const at = (place: number) => special(words[place] as number);
  for (; index + 8 <= last; index += 8) {
    const found = at(index) | at(index + 1) | at(index + 2) | at(index + 3);
    if (((found | at(index + 4) | at(index + 5) | at(index + 6) | at(index + 7)) & HIGH_BITS) !== 0) break;
  }
  while (index < last && (at(index) & HIGH_BITS) === 0) index += 1;
  return index;
}

const HIGH_BITS = 0x80808080;

/** Sets the highest bit of each byte that is less than 0x20 or a backslash. */
function special(word: number): number {
  const crossed = word ^ 0x5c5c5c5c;
  return ((word - 0x20202020) & ~word) | ((crossed - 0x01010101) & ~crossed);
}

/**
 * Bytes that may follow a backslash, except for codes, and the digits of a code. Lookup tables, because this
 * runs for each escape.
 */
const single = flags('"\\/bfnrt');
const digit = flags("0123456789abcdefABCDEF");

function flags(characters: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const byte of Buffer.from(characters)) table[byte] = 1;
  return table;
}

/** Returns the length of the escape in bytes; 0 when it is invalid. */
function escapeAt(raw: Buffer, at: number, end: number): number {
  const next = raw[at + 1] ?? 0;
  if (at + 1 < end && single[next] === 1) return 2;
  if (next !== 0x75 || at + 6 > end) return 0;
  for (let place = at + 2; place < at + 6; place += 1) if (digit[raw[place] ?? 0] !== 1) return 0;
  return 6;
}

/** While this is above 0, accessors return their placeholders. */
let showing = 0;

/** Runs code that passes texts on without reading them: it sees placeholders, and returns them. */
export function withPlaceholders<T>(run: () => T): T {
  showing += 1;
  try {
    return run();
  } finally {
    showing -= 1;
  }
}

/**
 * Key under which an object or a body stores its long texts. Not a WeakMap: its values would survive every
 * collection of the young generation, and with them the bytes of each body until a full collection.
 */
const LONG = Symbol("long texts");

interface WithLongTexts {
  /** The fields of an object that are accessors, with their texts. */
  [LONG]?: Map<string, LongText>;
}

interface MarkedBody {
  [LONG]?: LongTexts;
}

/**
 * Turns every placeholder in objects and lists into an accessor.
 * @returns whether every text was found, and none of them as a part of another text. Code that transforms a
 * placeholder (another coding, or JSON within a text) would not get the result of transforming the text.
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
    get: () => (showing > 0 ? placeholder : (text ??= restoreText(placeholder, texts))),
    set(value: unknown) {
      (owner as WithLongTexts)[LONG]?.delete(key);
      Object.defineProperty(owner, key, { enumerable: true, configurable: true, writable: true, value });
    },
  });
  const parts = pieces(placeholder, texts);
  const last = parts.at(-1);
  if (last === undefined || typeof last === "string") return false;
  found.add(last);
  if (parts.length > 1) return parts.length === 2 && placeholder.startsWith("data:");
  const known = (owner as WithLongTexts)[LONG];
  if (known === undefined) Object.defineProperty(owner, LONG, { value: new Map([[key, last]]) });
  else known.set(key, last);
  return true;
}

/** Returns the bytes of a field that consists of one long text; undefined for any other field. */
export function longTextOf(owner: object, key: string): LongText | undefined {
  return (owner as WithLongTexts)[LONG]?.get(key);
}

/** Splits a text into placeholders and the texts between them, in order. */
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

function restoreText(placeholder: string, texts: readonly LongText[]): string {
  return pieces(placeholder, texts)
    .map((piece) => (typeof piece === "string" ? piece : textOf(piece)))
    .join("");
}

function textOf({ bytes, isEscaped }: LongText): string {
  const text = bytes.toString("utf8");
  return isEscaped ? (JSON.parse(`"${text}"`) as string) : text;
}

/** Returns the first characters of a long text. The rest is not decoded. */
export function headOf({ bytes, isEscaped }: LongText, characters: number): string {
  const text = bytes.toString("utf8", 0, LONGEST_ESCAPE * characters);
  if (!isEscaped) return text.slice(0, characters);
  const last = /\\(?:u[\da-f]{0,3})?$/i.exec(text);
  const before = last === null ? 0 : backslashesBefore(text, last.index);
  // An escape that is cut in two, unless its backslash is itself escaped.
  const whole = last === null || before % 2 === 1 ? text : text.slice(0, last.index);
  return (JSON.parse(`"${whole}"`) as string).slice(0, characters);
}

function backslashesBefore(text: string, end: number): number {
  let start = end;
  while (text[start - 1] === "\\") start -= 1;
  return end - start;
}

/** Bytes of the longest spelling of a character, `\u0000`. */
const LONGEST_ESCAPE = 6;

/** Returns the JSON of a value, with the original bytes in place of accessors and placeholders. */
export function stringifyLong(value: unknown, { texts }: LongTexts): Buffer {
  const json = withPlaceholders(() => JSON.stringify(value));
  const parts = pieces(json, texts).map((piece) =>
    typeof piece === "string" ? Buffer.from(piece) : piece.bytes,
  );
  return Buffer.concat(parts);
}

/** Records which texts were taken out of a body, for code that sends it on. */
export function rememberLongTexts(raw: Buffer, long: LongTexts): void {
  (raw as MarkedBody)[LONG] = long;
}

/** Returns the long texts of a body, as received or as rewritten. */
export function longTextsOf(raw: Buffer | undefined): LongTexts | undefined {
  return (raw as MarkedBody | undefined)?.[LONG];
}
