import type { AnswerScan, ScannedAnswer, CharacterCount } from "#dialects/dialect.ts";
import type { Usage } from "#dialects/ir.ts";
import { emptyTally } from "#dialects/usage/tally.ts";

/**
 * Reads a large JSON response while its bytes pass through. It counts the text, keeps the few small values
 * that billing needs, and detects the end of the response. Memory use covers those values only, whatever the
 * size of the response. Pure.
 */
export interface AnswerKeys {
  /** Keys whose string values are text of the response. */
  texts: readonly string[];
  /** Keys whose objects count as text as they are written, such as the arguments of a call. */
  objects?: readonly string[];
  /** A key that is not counted in a response in which the other key has text. */
  doubles?: { readonly key: string; readonly of: string };
  /** Keys whose raw values are kept. */
  kept: readonly string[];
  /** Returns whether to keep a value of a kept key. Default: true. */
  isKept?(key: string, value: string): boolean;
  /** Keys whose list entries are counted. */
  lists?: readonly string[];
  /** Consider only keys of the outermost object. */
  isFlat?: boolean;
}

const MAX_DEPTH = 1_000;
const MAX_KEY = 64;
const MAX_KEPT = 64 * 1024;
/** Per key. */
const MAX_VALUES = 1_000;
const MEDIA_BYTES = 4 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OBJECT = 0x7b;
const LIST = 0x5b;
/** First UTF-8 byte of a character from U+0300 on. */
const FIRST_WIDE = 0xcc;
/** Length in bytes of the byte order mark that some texts start with. */
const BYTE_ORDER_MARK = 3;

type Mode = "between" | "key" | "text" | "skipped";

function createAnswerScan(keys: AnswerKeys): AnswerScan {
  const texts = new Map(keys.texts.map((key) => [key, emptyTally()]));
  const objects = new Set(keys.objects ?? []);
  const kept = new Map(keys.kept.map((key): [string, string[]] => [key, []]));
  const lists = new Map((keys.lists ?? []).map((key) => [key, 0]));
  const written = emptyTally();
  /** Brackets that are open. */
  const open: number[] = [];
  let mode: Mode = "between";
  let offset = 0;
  let endsAt: number | undefined;
  let isObject = true;
  let hasMedia = false;
  /**
   * `escaped`: the next byte belongs to an escape. `hexLeft`: hexadecimal digits of the escape still to come.
   */
  let escaped = false;
  let hexLeft = 0;
  let hex = "";
  let key = "";
  /** The key whose value comes next. */
  let named: string | undefined;
  let expectsKey = false;
  let textTally = written;
  let textBytes = 0;
  /**
   * Depths of the object that is being counted, the value that is being kept,
   * and the list that is being counted.
   */
  let writtenDepth = -1;
  let keptDepth = -1;
  let keptKey = "";
  let keptParts: Buffer[] | undefined;
  let keptBytes = 0;
  let listDepth = -1;
  let listKey = "";

  function countByte(tally: CharacterCount, byte: number): void {
    if (byte >= FIRST_WIDE) tally.wide += 1;
    else if (byte < 0x80 || byte > 0xbf) {
      tally.narrow += 1;
      if (byte <= 0x20) tally.spaces = (tally.spaces ?? 0) + 1;
    }
  }

  function countCode(tally: CharacterCount, code: number): void {
    if (code < 0x300) {
      tally.narrow += 1;
      if (code <= 0x20) tally.spaces = (tally.spaces ?? 0) + 1;
    } else if (code < 0xdc00 || code > 0xdfff) tally.wide += 1;
  }

  /** Counts text up to its closing quote. Returns the position after the text that was read. */
  function readText(chunk: Buffer, from: number): number {
    let at = from;
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (hexLeft > 0) {
        hex += String.fromCharCode(byte);
        hexLeft -= 1;
        if (hexLeft === 0) countCode(textTally, Number.parseInt(hex, 16) || 0);
      } else if (escaped) {
        escaped = false;
        if (byte === 0x75) [hexLeft, hex] = [4, ""];
        else countCode(textTally, byte === 0x6e ? 0x20 : 0x61);
      } else if (byte === QUOTE) {
        mode = "between";
        return at + 1;
      } else if (byte === BACKSLASH) escaped = true;
      else countByte(textTally, byte);
    }
    return at;
  }

  /** Finds the closing quote of a string. Returns the position after the text that was read. */
  function skipText(chunk: Buffer, from: number): number {
    let at = from;
    if (escaped) {
      escaped = false;
      at += 1;
    }
    while (at < chunk.length) {
      const quote = chunk.indexOf(QUOTE, at);
      const stop = quote < 0 ? chunk.length : quote;
      let backslashes = 0;
      while (stop - backslashes > at && chunk[stop - backslashes - 1] === BACKSLASH) backslashes += 1;
      const isEscaped = backslashes % 2 === 1;
      if (quote < 0) {
        escaped = isEscaped;
        return stop;
      }
      at = quote + 1;
      if (isEscaped) continue;
      mode = "between";
      return at;
    }
    return at;
  }

  function readKey(chunk: Buffer, from: number): number {
    const end = skipText(chunk, from);
    const closed = mode === "between";
    if (key.length < MAX_KEY)
      key += chunk.toString("latin1", from, Math.min(closed ? end - 1 : end, from + MAX_KEY));
    return end;
  }

  function isWanted(): boolean {
    return named !== undefined && (keys.isFlat !== true || open.length === 1);
  }

  /** Handles the first byte of a value. */
  function begin(byte: number): void {
    if (named === undefined || !isWanted()) return;
    if (keptDepth < 0 && kept.has(named)) {
      keptDepth = open.length;
      keptKey = named;
      keptParts = [];
      keptBytes = 0;
    }
    if (byte === OBJECT && writtenDepth < 0 && objects.has(named)) writtenDepth = open.length;
    if (byte === LIST && listDepth < 0 && lists.has(named)) {
      listDepth = open.length;
      listKey = named;
      lists.set(named, 0);
    }
  }

  /** Completes a kept value that ended before position `to`. */
  function endKept(chunk: Buffer, from: number, to: number): void {
    keep(chunk, from, to);
    const list = kept.get(keptKey);
    if (keptParts !== undefined && list !== undefined) {
      const value = Buffer.concat(keptParts).toString("utf8").trim();
      if (keys.isKept?.(keptKey, value) ?? true) list.push(value);
      if (list.length > MAX_VALUES) list.shift();
    }
    keptDepth = -1;
    keptParts = undefined;
  }

  function keep(chunk: Buffer, from: number, to: number): void {
    if (keptParts === undefined || to <= from) return;
    keptBytes += to - from;
    // Longer than any count, so not a value of interest.
    if (keptBytes > MAX_KEPT) keptParts = undefined;
    else keptParts.push(Buffer.from(chunk.subarray(from, to)));
  }

  function countWritten(chunk: Buffer, from: number, to: number): void {
    for (let at = from; at < to; at += 1) countByte(written, chunk[at] ?? 0);
  }

  function push(chunk: Buffer): void {
    let keptFrom = 0;
    let writtenFrom = 0;
    let at = offset === 0 && chunk[0] === 0xef ? BYTE_ORDER_MARK : 0;
    while (at < chunk.length) {
      if (mode !== "between") {
        const from = at;
        at =
          mode === "text" ? readText(chunk, at) : mode === "key" ? readKey(chunk, at) : skipText(chunk, at);
        textBytes += at - from;
        if (textBytes > MEDIA_BYTES) hasMedia = true;
        continue;
      }
      const byte = chunk[at] ?? 0;
      if (byte === QUOTE) {
        textBytes = 0;
        if (expectsKey) [mode, key, expectsKey] = ["key", "", false];
        else {
          if (named !== undefined && keptDepth < 0) {
            begin(byte);
            keptFrom = at;
          }
          const tally = isWanted() && writtenDepth < 0 && named !== undefined ? texts.get(named) : undefined;
          if (listDepth >= 0 && open.length === listDepth + 1) countEntry();
          mode = tally === undefined ? "skipped" : "text";
          textTally = tally ?? written;
          named = undefined;
        }
      } else if (byte === OBJECT || byte === LIST) {
        if (open.length === 0 && (byte !== OBJECT || endsAt !== undefined)) isObject = false;
        const [hadKept, hadWritten] = [keptDepth, writtenDepth];
        begin(byte);
        if (keptDepth !== hadKept) keptFrom = at;
        if (writtenDepth !== hadWritten) writtenFrom = at;
        if (listDepth >= 0 && open.length === listDepth + 1) countEntry();
        open.push(byte);
        if (open.length > MAX_DEPTH) isObject = false;
        expectsKey = byte === OBJECT;
        named = undefined;
      } else if (byte === 0x7d || byte === 0x5d) {
        if (keptDepth === open.length) endKept(chunk, keptFrom, at);
        if (open.pop() !== byte - 2) isObject = false;
        if (keptDepth === open.length) endKept(chunk, keptFrom, at + 1);
        if (writtenDepth === open.length) {
          countWritten(chunk, writtenFrom, at + 1);
          writtenDepth = -1;
        }
        if (listDepth === open.length) listDepth = -1;
        expectsKey = false;
        named = undefined;
        if (open.length === 0) endsAt ??= offset + at + 1;
      } else if (byte === COMMA) {
        if (keptDepth === open.length) endKept(chunk, keptFrom, at);
        expectsKey = open.at(-1) === OBJECT;
        named = undefined;
      } else if (byte === COLON) named = key;
      else if (byte > 0x20) {
        if (open.length === 0) isObject = false;
        // A number, true, false or null.
        if (named !== undefined) {
          const had = keptDepth;
          begin(byte);
          if (keptDepth !== had) keptFrom = at;
          named = undefined;
        }
      }
      at += 1;
    }
    if (keptDepth >= 0) keep(chunk, keptFrom, chunk.length);
    if (writtenDepth >= 0) countWritten(chunk, writtenFrom, chunk.length);
    offset += chunk.length;
  }

  function countEntry(): void {
    lists.set(listKey, (lists.get(listKey) ?? 0) + 1);
  }

  return {
    push,
    get endsAt() {
      return endsAt;
    },
    get isObject() {
      return isObject;
    },
    get tally() {
      const sum: CharacterCount = { ...written };
      const { key: double = "", of = "" } = keys.doubles ?? {};
      const isDouble = (texts.get(of)?.narrow ?? 0) + (texts.get(of)?.wide ?? 0) > 0;
      for (const [name, { narrow, wide, spaces = 0 }] of texts) {
        if (name === double && isDouble) continue;
        sum.narrow += narrow;
        sum.wide += wide;
        if (spaces > 0) sum.spaces = (sum.spaces ?? 0) + spaces;
      }
      return sum;
    },
    get hasMedia() {
      return hasMedia;
    },
    values: (name) => kept.get(name) ?? [],
    entries: (name) => lists.get(name) ?? 0,
  };
}

/**
 * Creates a scan that also reads the usage.
 * @param usageIn reads the usage from a small response that has only the kept values
 */
export function scanAnswer(
  keys: AnswerKeys,
  usageIn: (json: string, scan: AnswerScan) => Usage | undefined,
): ScannedAnswer {
  const scan = createAnswerScan(keys);
  return {
    scan,
    usage() {
      const fields = keys.kept.flatMap((key) => {
        const last = scan.values(key).at(-1);
        return last === undefined ? [] : [`${JSON.stringify(key)}:${last}`];
      });
      return usageIn(`{${fields.join(",")}}`, scan);
    },
  };
}
