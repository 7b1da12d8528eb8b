/**
 * Reads a response while it passes as bytes: audio, subtitles, events with large images, JSON. Keeps only
 * what the bill needs. Pure.
 */
import type { CharacterCount } from "#dialects/dialect.ts";
import type { Usage } from "#dialects/ir.ts";
import { scanAnswer } from "#dialects/stream/answer-scan.ts";
import { addTo } from "#relay/core/billing/tally-text.ts";
import { type AnswerReader, createJsonReader } from "#relay/core/response/pass-bytes.ts";
import { plainUsage } from "./plain-usage.ts";

/** Clients process an event once they have its last line feed, so keeping back a few bytes is enough. */
const KEPT_BYTES = 16;
const MAX_LINE = 64 * 1024;

/** @param type content type of the response */
export function createPlainReader(type: string): AnswerReader {
  if (type.startsWith("text/event-stream")) return eventReader();
  const tally: CharacterCount = { narrow: 0, wide: 0 };
  const readable = type.startsWith("text/") || type.startsWith("application/x-subrip");
  return {
    push(chunk) {
      if (readable) addTo(tally, chunk.toString("utf8"));
      return KEPT_BYTES;
    },
    usage: undefined,
    tally,
    failed: false,
    ended: false,
    isWhole: true,
    isSilent: false,
    hasUsage: false,
  };
}

/**
 * Creates a reader for a large JSON response of OpenAI's other endpoints. A body that is not JSON also
 * passes.
 */
export function createPlainJsonReader(): { reader: AnswerReader; images(): number } {
  const scanned = scanAnswer(
    { texts: ["text"], kept: ["usage", "meta", "duration"], lists: ["data", "images"], isFlat: true },
    (json, { tally }) => {
      const hasText = tally.narrow > 0 || tally.wide > 0;
      // Only the presence of a text matters: the duration of a recording counts only beside a text.
      return plainUsage(hasText ? `{"text":""${json === "{}" ? "" : ","}${json.slice(1)}` : json).usage;
    },
  );
  const { scan } = scanned;
  return {
    reader: createJsonReader(scanned, { isStrict: false }),
    images: () => Math.max(scan.entries("data"), scan.entries("images")),
  };
}

/** Events that complete a response. */
const completing =
  /^(?:event: ?|data: ?\{.{0,200}?"type": ?")(?:image_(?:generation|edit)\.completed|transcript\.text\.done|speech\.audio\.done)\b|^data: ?\[DONE\]/;

function eventReader(): AnswerReader {
  const tally: CharacterCount = { narrow: 0, wide: 0 };
  const scan = createUsageScanner();
  let line = "";
  let fresh = true;
  let last = false;
  let failed = false;
  let total = 0;
  /** End of the event that completes the response. The bytes after it may be comments, so they wait too. */
  let closedAt: number | undefined;

  /** @param end position of its line feed */
  function endLine(end: number): void {
    const text = line.endsWith("\r") ? line.slice(0, -1) : line;
    line = "";
    if (text === "" || text.startsWith(":")) {
      if (last) closedAt ??= end - text.length;
      if (text === "") fresh = true;
      return;
    }
    look(text);
    // Cut off: an image, which is neither text nor an error.
    if (!text.startsWith("data:") || text.length >= MAX_LINE) return;
    const message = transcriptIn(Buffer.from(text.slice(5), "latin1").toString("utf8"));
    if (message === undefined) failed = true;
    else addTo(tally, message);
  }

  function look(text: string): void {
    const completes = completing.test(text);
    if (fresh || completes) last = completes;
    if (fresh && !completes) closedAt = undefined;
    fresh = false;
  }

  return {
    push(chunk) {
      scan.push(chunk);
      for (let from = 0; from < chunk.length;) {
        const end = chunk.indexOf(0x0a, from);
        const to = end < 0 ? chunk.length : end;
        if (line.length < MAX_LINE) line += chunk.toString("latin1", from, Math.min(to, from + MAX_LINE));
        if (end >= 0) endLine(total + end);
        from = to + 1;
      }
      total += chunk.length;
      if (line !== "" && !line.startsWith(":")) look(line);
      if (!last) return 0;
      return KEPT_BYTES + (closedAt === undefined ? 0 : total - closedAt);
    },
    get usage() {
      return scan.usage;
    },
    tally,
    get failed() {
      return failed;
    },
    ended: false,
    get isWhole() {
      return !failed;
    },
    isSilent: false,
    hasUsage: true,
  };
}

/** Returns the text of an event; undefined for an error event. */
function transcriptIn(data: string): string | undefined {
  let event: unknown;
  try {
    event = JSON.parse(data);
  } catch {
    return "";
  }
  if (typeof event !== "object" || event === null) return "";
  const { type, error, delta, choices } = event as Record<string, unknown>;
  if (type === "error" || (typeof error === "object" && error !== null)) return undefined;
  if (type === "transcript.text.delta") return typeof delta === "string" ? delta : "";
  if (!Array.isArray(choices)) return "";
  return choices
    .map((choice: { text?: unknown }) => (typeof choice?.text === "string" ? choice.text : ""))
    .join("");
}

const NEEDLE = Buffer.from('"usage":');
const MAX_USAGE = 16 * 1024;

/**
 * Finds the last usage object in bytes split at any position. Within a JSON string its quotation marks would
 * be escaped, so the unescaped name is a real key.
 */
function createUsageScanner(): { push(chunk: Buffer): void; readonly usage: Usage | undefined } {
  let tail = Buffer.alloc(0);
  let found: string | undefined;
  let usage: Usage | undefined;

  /**
   * Returns the rest of the chunk after the object, or undefined when the object continues in the next chunk.
   */
  function collect(chunk: Buffer): Buffer | undefined {
    let text = found ?? "";
    const before = text.length;
    text += chunk.toString("latin1", 0, MAX_USAGE);
    const end = endOfObject(text);
    if (end === undefined && text.length < MAX_USAGE) {
      found = text;
      return undefined;
    }
    found = undefined;
    if (end === undefined || end === 0) return chunk;
    usage = plainUsage(`{"usage":${text.slice(0, end)}}`).usage ?? usage;
    return chunk.subarray(Math.max(0, end - before));
  }

  return {
    push(chunk) {
      let rest: Buffer | undefined = found === undefined ? Buffer.concat([tail, chunk]) : collect(chunk);
      while (rest !== undefined) {
        const at = rest.indexOf(NEEDLE);
        if (at < 0) {
          tail = Buffer.from(rest.subarray(-NEEDLE.length + 1));
          return;
        }
        rest = collect(rest.subarray(at + NEEDLE.length));
      }
      tail = Buffer.alloc(0);
    },
    get usage() {
      return usage;
    },
  };
}

/**
 * Returns the end of the object at the start of a text; 0 when the text starts differently, undefined when it
 * is incomplete.
 */
function endOfObject(text: string): number | undefined {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === "{") depth += 1;
    else if (character === "}") depth -= 1;
    else if (depth === 0 && character !== " ") return 0;
    if (depth === 0 && character === "}") return index + 1;
  }
  return undefined;
}
