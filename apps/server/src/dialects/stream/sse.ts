/**
 * Server-sent events: bytes to frames and frames to text. Implements the event stream format only,
 * independent of the frames' content.
 */
import type { Frame } from "#dialects/dialect.ts";

/**
 * A frame with its original text, blank line and preceding comments included.
 * All `raw` joined are the stream.
 */
export interface RawFrame {
  frame: Frame;
  raw: string;
}

export interface FrameSplitter {
  /** Returns the number of characters in the incomplete frame. */
  pending(): number;
  /** Returns the frames that this chunk completes. */
  push(chunk: Uint8Array): RawFrame[];
  /**
   * Returns the frames that the end of the stream completes: one without its blank line, or one whose last
   * byte may have been missing.
   */
  flush(): RawFrame[];
}

const space = 0x20;
const cr = 0x0d;
const lf = 0x0a;
const byteOrderMark = 0xfeff;
const none: RawFrame[] = [];

/**
 * Thrown for a frame that does not end. Its sender is broken, and waiting for the end would only use memory.
 */
export class FrameTooLarge extends Error {
  constructor(limit: number) {
    super(`An event of the stream is longer than ${limit} characters.`);
    this.name = "FrameTooLarge";
  }
}

/**
 * Splits an event stream that arrives in arbitrary chunks. Each chunk is decoded and scanned once and only
 * appended to the incomplete text, so a frame of a megabyte in small chunks is never rescanned. Throws
 * FrameTooLarge.
 */
export function createFrameSplitter(maxChars = Number.POSITIVE_INFINITY): FrameSplitter {
  const decode = openDecoder();
  /** Text since the last complete frame, without the current chunk. */
  let pending = "";
  /** The unfinished line of the last chunk. */
  let partial = "";
  let data: string | undefined;
  let event: string | undefined;
  /** The last chunk ended in CR; an LF that follows belongs to it. */
  let afterCr = false;
  /**
   * A frame whose blank line ended in that CR.
   * It is emitted with the following LF, or without it when another byte follows.
   */
  let waiting: RawFrame | undefined;
  /** Lines of a JSON value without a field name between events. Some providers report errors this way. */
  let bare: string | undefined;

  function field(line: string): void {
    if (bare !== undefined || (line.startsWith("{") && data === undefined && event === undefined)) {
      bare = bare === undefined ? line : `${bare}\n${line}`;
    } else if (line.startsWith("data:")) {
      const value = line.slice(line.charCodeAt(5) === space ? 6 : 5);
      data = data === undefined ? value : `${data}\n${value}`;
    } else if (line.startsWith("event:")) {
      event = line.slice(line.charCodeAt(6) === space ? 7 : 6);
    } else if (line === "data") {
      data = data === undefined ? "" : `${data}\n`;
    }
  }

  function take(): Frame | undefined {
    const text = data ?? bare;
    const frame = text === undefined ? undefined : { event, data: text };
    data = undefined;
    event = undefined;
    bare = undefined;
    return frame;
  }

  function scan(text: string): RawFrame[] {
    let frames = none;
    let rawStart = 0;
    let lineStart = 0;
    if (afterCr && text.charCodeAt(0) === lf) lineStart = 1;
    if (text !== "") {
      afterCr = false;
      if (waiting !== undefined) {
        rawStart = lineStart;
        frames = [{ frame: waiting.frame, raw: waiting.raw + text.slice(0, lineStart) }];
        waiting = undefined;
      }
    }
    let nextCr = text.indexOf("\r", lineStart);
    let nextLf = text.indexOf("\n", lineStart);
    while (nextLf !== -1 || nextCr !== -1) {
      const atCr = nextCr !== -1 && (nextLf === -1 || nextCr < nextLf);
      const lineEnd = atCr ? nextCr : nextLf;
      let next = lineEnd + 1;
      if (atCr) {
        if (next === text.length) afterCr = true;
        else if (text.charCodeAt(next) === lf) next += 1;
      }
      const line = partial + text.slice(lineStart, lineEnd);
      partial = "";
      lineStart = next;
      if (line === "") {
        const frame = take();
        if (frame !== undefined) {
          const raw = pending + text.slice(rawStart, next);
          pending = "";
          rawStart = next;
          if (afterCr) {
            waiting = { frame, raw };
          } else {
            if (frames === none) frames = [];
            frames.push({ frame, raw });
          }
        }
      } else {
        field(line);
      }
      if (nextCr !== -1 && nextCr < next) nextCr = text.indexOf("\r", next);
      if (nextLf !== -1 && nextLf < next) nextLf = text.indexOf("\n", next);
    }
    partial += text.slice(lineStart);
    pending += text.slice(rawStart);
    if (pending.length > maxChars) throw new FrameTooLarge(maxChars);
    return frames;
  }

  return {
    pending: () => pending.length,
    push: (chunk) => scan(decode(chunk)),
    flush() {
      const rest = scan(decode());
      const frames = waiting === undefined ? rest : [...rest, waiting];
      waiting = undefined;
      const line = partial.charCodeAt(partial.length - 1) === cr ? partial.slice(0, -1) : partial;
      partial = "";
      if (line !== "") field(line);
      const frame = take();
      if (frame === undefined) return frames;
      const raw = pending;
      pending = "";
      return [...frames, { frame, raw }];
    },
  };
}

/**
 * Decodes bytes to text like TextDecoder with `stream`; flushes the rest when called without bytes. Nearly
 * every chunk ends with an ASCII character. Such a chunk is complete and takes the faster path.
 */
function openDecoder(): (chunk?: Uint8Array) => string {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let isFirst = true;
  /** True when the decoder may hold the start of a character. */
  let isOpen = false;
  return (chunk) => {
    let text: string;
    if (chunk === undefined) text = isOpen ? decoder.decode() : "";
    else {
      const isWhole = (chunk[chunk.length - 1] ?? 0) < 0x80;
      text =
        isWhole && !isOpen && Buffer.isBuffer(chunk)
          ? chunk.toString("utf8")
          : decoder.decode(chunk, { stream: true });
      if (chunk.length > 0) isOpen = !isWhole;
    }
    if (!isFirst || text === "") return text;
    isFirst = false;
    return text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text;
  };
}

/** Returns one frame as text, blank line included. */
export function formatFrame(frame: { event?: string | undefined; data: string }): string {
  const head = frame.event === undefined ? "" : `event: ${frame.event}\n`;
  if (!frame.data.includes("\n")) return `${head}data: ${frame.data}\n\n`;
  return `${head}${frame.data
    .split("\n")
    .map((line) => `data: ${line}\n`)
    .join("")}\n`;
}
