/**
 * Converts a stream that arrives as one JSON array to events, for upstreams without an event stream. Each
 * element becomes an event when it arrives, at any chunk boundaries. An object outside an array, such as an
 * error, becomes an event too.
 */
export function openArray(): (chunk: Uint8Array) => Buffer {
  let depth = 0;
  let inString = false;
  let escaped = false;

  return (chunk) => {
    const out: Buffer[] = [];
    let from = 0;
    /** Whitespace between tokens may contain line feeds, which would end a line of an event. */
    const copy = (to: number) => {
      if (depth > 0 && to > from) out.push(Buffer.from(chunk.subarray(from, to)));
    };
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
      } else if (byte === QUOTE) {
        inString = depth > 0;
      } else if (byte === OPEN || (byte === OPEN_LIST && depth > 0)) {
        if (depth === 0) {
          out.push(DATA);
          from = at;
        }
        depth += 1;
      } else if (depth > 0 && (byte === CLOSE || byte === CLOSE_LIST)) {
        if (depth === 1) {
          copy(at + 1);
          out.push(END);
        }
        depth -= 1;
      } else if (byte === LF || byte === CR) {
        copy(at);
        from = at + 1;
      }
    }
    copy(chunk.length);
    return Buffer.concat(out);
  };
}

const DATA = Buffer.from("data: ");
const END = Buffer.from("\n\n");
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const LF = 0x0a;
const CR = 0x0d;
