/**
 * Counts below zero in a provider's usage. They are never billed, and a client that adds up its usage must not
 * receive them either. Pure.
 */

/** A count, in the spelling of any dialect, with a negative number. */
const negative = /("\w*(?:tokens|TokenCount|seconds|search_units)"\s*:\s*)-\d[\d.eE+-]*/gi;

/** Returns the JSON text with zero in place of negative counts; the same text where there are none. */
export function withoutNegativeCounts(json: string): string {
  // Nearly every response ends the search here. Text of the model is in strings, whose quotes are escaped.
  return json.includes('okens"') || json.includes('okenCount"') || json.includes('"usage"')
    ? json.replace(negative, "$10")
    : json;
}

const MINUS = 0x2d;
const ZERO = 0x30;
const COLON = 0x3a;
const SPACE = 0x20;
/** Ends of the names of counts. */
const names = ['okens"', 'okenCount"', 'econds"', 'search_units"'].map((name) => Buffer.from(name));
const longestName = Math.max(...names.map(({ length }) => length));

const isSpace = (byte: number) => byte === SPACE || (byte >= 0x09 && byte <= 0x0d);
/** Whether a byte continues a number: digits, a point, an exponent with its sign. */
const isOfNumber = (byte: number) =>
  (byte >= ZERO && byte <= 0x39) || ".eE+-".includes(String.fromCharCode(byte));

/**
 * Creates a filter for JSON or events that pass as bytes, split at any position. It writes "0" and spaces over a
 * negative count, so that the length of the response stays. Returns the same chunk where nothing changes.
 */
export function createCountFilter(): (chunk: Buffer) => Buffer {
  /** What comes next: any bytes, the colon after the name of a count, its value, or the rest of a negative one. */
  let next: "any" | "colon" | "value" | "rest" = "any";
  /** The last bytes, in which a name may have begun. */
  let tail = Buffer.alloc(0);

  /** Returns a search for the positions after each name that ends in the chunk, in order; -1 after the last one. */
  function namesIn(chunk: Buffer): (from: number) => number {
    const seam = Buffer.concat([tail, chunk.subarray(0, longestName)]);
    // Each name is searched once over the whole chunk, however often it occurs.
    const ends = names.map((name) => {
      const end = seam.indexOf(name, Math.max(0, tail.length - name.length + 1)) + name.length - tail.length;
      return end > 0 ? end : after(chunk, name, 0);
    });
    return (from) => {
      for (const [index, name] of names.entries())
        if ((ends[index] ?? Infinity) <= from) ends[index] = after(chunk, name, from);
      const next = Math.min(...ends);
      return Number.isFinite(next) ? next : -1;
    };
  }

  return (chunk) => {
    let changed: Buffer | undefined;
    const nameFrom = namesIn(chunk);
    let at = 0;
    while (at < chunk.length) {
      if (next === "any") {
        at = nameFrom(at);
        if (at < 0) break;
        next = "colon";
        continue;
      }
      const byte = chunk[at] ?? 0;
      if (next === "rest") {
        if (isOfNumber(byte)) (changed ??= Buffer.from(chunk))[at] = SPACE;
        else next = "any";
      } else if (!isSpace(byte)) {
        if (next === "colon") next = byte === COLON ? "value" : "any";
        else if (byte === MINUS) {
          (changed ??= Buffer.from(chunk))[at] = ZERO;
          next = "rest";
        } else next = "any";
      }
      if (next !== "any") at += 1;
    }
    tail = Buffer.from(Buffer.concat([tail, chunk.subarray(-longestName)]).subarray(-longestName));
    return changed ?? chunk;
  };
}

/** Returns the position after the next occurrence; Infinity when there is none. */
function after(chunk: Buffer, name: Buffer, from: number): number {
  const at = chunk.indexOf(name, from);
  return at < 0 ? Infinity : at + name.length;
}
