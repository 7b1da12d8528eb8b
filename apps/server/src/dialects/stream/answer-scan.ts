import type { AnswerScan, ScannedAnswer, CharacterCount } from "#dialects/dialect.ts";
import type { Usage } from "#dialects/ir.ts";
import { addTally, countCode, emptyTally } from "#dialects/usage/tally.ts";

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

/** Adds a byte of UTF-8 to the tally. Only the first one of a character counts. */
function countByte(tally: CharacterCount, byte: number): void {
  if (byte >= FIRST_WIDE) tally.wide += 1;
  else if (byte < 0x80 || byte > 0xbf) {
    tally.narrow += 1;
    if (byte <= 0x20) tally.spaces = (tally.spaces ?? 0) + 1;
  }
}

type Mode = "between" | "key" | "text" | "skipped";

class JsonAnswerScan implements AnswerScan {
  readonly #keys: AnswerKeys;
  readonly #texts: Map<string, CharacterCount>;
  readonly #objects: Set<string>;
  readonly #kept: Map<string, string[]>;
  readonly #lists: Map<string, number>;
  readonly #written = emptyTally();
  /** Brackets that are open. */
  readonly #open: number[] = [];
  #mode: Mode = "between";
  #offset = 0;
  #endsAt: number | undefined;
  #isObject = true;
  #hasMedia = false;
  /**
   * `escaped`: the next byte belongs to an escape. `hexLeft`: hexadecimal digits of the escape still to come.
   */
  #escaped = false;
  #hexLeft = 0;
  #hex = "";
  #key = "";
  /** The key whose value comes next. */
  #named: string | undefined;
  #expectsKey = false;
  #textTally: CharacterCount;
  #textBytes = 0;
  /**
   * Depths of the object that is being counted, the value that is being kept,
   * and the list that is being counted.
   */
  #writtenDepth = -1;
  #keptDepth = -1;
  #keptKey = "";
  #keptParts: Buffer[] | undefined;
  #keptBytes = 0;
  #listDepth = -1;
  #listKey = "";

  constructor(keys: AnswerKeys) {
    this.#keys = keys;
    this.#texts = new Map(keys.texts.map((key) => [key, emptyTally()]));
    this.#objects = new Set(keys.objects);
    this.#kept = new Map(keys.kept.map((key): [string, string[]] => [key, []]));
    this.#lists = new Map(keys.lists?.map((key) => [key, 0]));
    this.#textTally = this.#written;
  }

  get endsAt(): number | undefined {
    return this.#endsAt;
  }

  get isObject(): boolean {
    return this.#isObject;
  }

  get tally(): CharacterCount {
    const sum: CharacterCount = { ...this.#written };
    const { key: double = "", of = "" } = this.#keys.doubles ?? {};
    const isDouble = (this.#texts.get(of)?.narrow ?? 0) + (this.#texts.get(of)?.wide ?? 0) > 0;
    for (const [name, tally] of this.#texts) if (name !== double || !isDouble) addTally(sum, tally);
    return sum;
  }

  get hasMedia(): boolean {
    return this.#hasMedia;
  }

  values(name: string): readonly string[] {
    return this.#kept.get(name) ?? [];
  }

  entries(name: string): number {
    return this.#lists.get(name) ?? 0;
  }

  /** Counts text up to its closing quote. Returns the position after the text that was read. */
  #readText(chunk: Buffer, from: number): number {
    let at = from;
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (this.#hexLeft > 0) {
        this.#hex += String.fromCharCode(byte);
        this.#hexLeft -= 1;
        if (this.#hexLeft === 0) countCode(this.#textTally, Number.parseInt(this.#hex, 16) || 0);
      } else if (this.#escaped) {
        this.#escaped = false;
        if (byte === 0x75) [this.#hexLeft, this.#hex] = [4, ""];
        else countCode(this.#textTally, byte === 0x6e ? 0x20 : 0x61);
      } else if (byte === QUOTE) {
        this.#mode = "between";
        return at + 1;
      } else if (byte === BACKSLASH) this.#escaped = true;
      else countByte(this.#textTally, byte);
    }
    return at;
  }

  /** Finds the closing quote of a string. Returns the position after the text that was read. */
  #skipText(chunk: Buffer, from: number): number {
    let at = from;
    if (this.#escaped) {
      this.#escaped = false;
      at += 1;
    }
    while (at < chunk.length) {
      const quote = chunk.indexOf(QUOTE, at);
      const stop = quote < 0 ? chunk.length : quote;
      let backslashes = 0;
      while (stop - backslashes > at && chunk[stop - backslashes - 1] === BACKSLASH) backslashes += 1;
      const isEscaped = backslashes % 2 === 1;
      if (quote < 0) {
        this.#escaped = isEscaped;
        return stop;
      }
      at = quote + 1;
      if (isEscaped) continue;
      this.#mode = "between";
      return at;
    }
    return at;
  }

  #readKey(chunk: Buffer, from: number): number {
    const end = this.#skipText(chunk, from);
    const closed = this.#mode === "between";
    if (this.#key.length < MAX_KEY)
      this.#key += chunk.toString("latin1", from, Math.min(closed ? end - 1 : end, from + MAX_KEY));
    return end;
  }

  #isWanted(): boolean {
    return this.#named !== undefined && (this.#keys.isFlat !== true || this.#open.length === 1);
  }

  /** Handles the first byte of a value. */
  #begin(byte: number): void {
    if (this.#named === undefined || !this.#isWanted()) return;
    if (this.#keptDepth < 0 && this.#kept.has(this.#named)) {
      this.#keptDepth = this.#open.length;
      this.#keptKey = this.#named;
      this.#keptParts = [];
      this.#keptBytes = 0;
    }
    if (byte === OBJECT && this.#writtenDepth < 0 && this.#objects.has(this.#named))
      this.#writtenDepth = this.#open.length;
    if (byte === LIST && this.#listDepth < 0 && this.#lists.has(this.#named)) {
      this.#listDepth = this.#open.length;
      this.#listKey = this.#named;
      this.#lists.set(this.#named, 0);
    }
  }

  /** Completes a kept value that ended before position `to`. */
  #endKept(chunk: Buffer, from: number, to: number): void {
    this.#keep(chunk, from, to);
    const list = this.#kept.get(this.#keptKey);
    if (this.#keptParts !== undefined && list !== undefined) {
      const value = Buffer.concat(this.#keptParts).toString("utf8").trim();
      if (this.#keys.isKept?.(this.#keptKey, value) ?? true) list.push(value);
      if (list.length > MAX_VALUES) list.shift();
    }
    this.#keptDepth = -1;
    this.#keptParts = undefined;
  }

  #keep(chunk: Buffer, from: number, to: number): void {
    if (this.#keptParts === undefined || to <= from) return;
    this.#keptBytes += to - from;
    // Longer than any count, so not a value of interest.
    if (this.#keptBytes > MAX_KEPT) this.#keptParts = undefined;
    else this.#keptParts.push(Buffer.from(chunk.subarray(from, to)));
  }

  #countWritten(chunk: Buffer, from: number, to: number): void {
    for (let at = from; at < to; at += 1) countByte(this.#written, chunk[at] ?? 0);
  }

  push(chunk: Buffer): void {
    let keptFrom = 0;
    let writtenFrom = 0;
    let at = this.#offset === 0 && chunk[0] === 0xef ? BYTE_ORDER_MARK : 0;
    while (at < chunk.length) {
      if (this.#mode !== "between") {
        const from = at;
        at =
          this.#mode === "text"
            ? this.#readText(chunk, at)
            : this.#mode === "key"
              ? this.#readKey(chunk, at)
              : this.#skipText(chunk, at);
        this.#textBytes += at - from;
        if (this.#textBytes > MEDIA_BYTES) this.#hasMedia = true;
        continue;
      }
      const byte = chunk[at] ?? 0;
      if (byte === QUOTE) {
        this.#textBytes = 0;
        if (this.#expectsKey) [this.#mode, this.#key, this.#expectsKey] = ["key", "", false];
        else {
          if (this.#named !== undefined && this.#keptDepth < 0) {
            this.#begin(byte);
            keptFrom = at;
          }
          const tally =
            this.#isWanted() && this.#writtenDepth < 0 && this.#named !== undefined
              ? this.#texts.get(this.#named)
              : undefined;
          if (this.#listDepth >= 0 && this.#open.length === this.#listDepth + 1) this.#countEntry();
          this.#mode = tally === undefined ? "skipped" : "text";
          this.#textTally = tally ?? this.#written;
          this.#named = undefined;
        }
      } else if (byte === OBJECT || byte === LIST) {
        if (this.#open.length === 0 && (byte !== OBJECT || this.#endsAt !== undefined))
          this.#isObject = false;
        const [hadKept, hadWritten] = [this.#keptDepth, this.#writtenDepth];
        this.#begin(byte);
        if (this.#keptDepth !== hadKept) keptFrom = at;
        if (this.#writtenDepth !== hadWritten) writtenFrom = at;
        if (this.#listDepth >= 0 && this.#open.length === this.#listDepth + 1) this.#countEntry();
        this.#open.push(byte);
        if (this.#open.length > MAX_DEPTH) this.#isObject = false;
        this.#expectsKey = byte === OBJECT;
        this.#named = undefined;
      } else if (byte === 0x7d || byte === 0x5d) {
        if (this.#keptDepth === this.#open.length) this.#endKept(chunk, keptFrom, at);
        if (this.#open.pop() !== byte - 2) this.#isObject = false;
        if (this.#keptDepth === this.#open.length) this.#endKept(chunk, keptFrom, at + 1);
        if (this.#writtenDepth === this.#open.length) {
          this.#countWritten(chunk, writtenFrom, at + 1);
          this.#writtenDepth = -1;
        }
        if (this.#listDepth === this.#open.length) this.#listDepth = -1;
        this.#expectsKey = false;
        this.#named = undefined;
        if (this.#open.length === 0) this.#endsAt ??= this.#offset + at + 1;
      } else if (byte === COMMA) {
        if (this.#keptDepth === this.#open.length) this.#endKept(chunk, keptFrom, at);
        this.#expectsKey = this.#open.at(-1) === OBJECT;
        this.#named = undefined;
      } else if (byte === COLON) this.#named = this.#key;
      else if (byte > 0x20) {
        if (this.#open.length === 0) this.#isObject = false;
        // A number, true, false or null.
        if (this.#named !== undefined) {
          const had = this.#keptDepth;
          this.#begin(byte);
          if (this.#keptDepth !== had) keptFrom = at;
          this.#named = undefined;
        }
      }
      at += 1;
    }
    if (this.#keptDepth >= 0) this.#keep(chunk, keptFrom, chunk.length);
    if (this.#writtenDepth >= 0) this.#countWritten(chunk, writtenFrom, chunk.length);
    this.#offset += chunk.length;
  }

  #countEntry(): void {
    this.#lists.set(this.#listKey, (this.#lists.get(this.#listKey) ?? 0) + 1);
  }
}

/**
 * Creates a scan that also reads the usage.
 * @param usageIn reads the usage from a small response that has only the kept values
 */
export function scanAnswer(
  keys: AnswerKeys,
  usageIn: (json: string, scan: AnswerScan) => Usage | undefined,
): ScannedAnswer {
  const scan = new JsonAnswerScan(keys);
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
