import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Wire } from "#dialects/dialect.ts";
import { parseExact, roundSettings } from "#dialects/json/parse-json.ts";
import { GatewayError, invalidRequest } from "#errors.ts";
import { accessOf, type Access } from "#gateway/access/access.ts";
import { targetOf } from "#gateway/http/request-url.ts";
import { addPiece } from "#platform/body/add-piece.ts";
import { decompressedPieces, isCompressed } from "#platform/body/compressed-body.ts";
import { createJsonScan, type JsonScan, requireNarrowObjects } from "#platform/body/json-scan.ts";
import { requireSpeed, SILENCE_MS, SLOWEST, tooSlow } from "#platform/body/sender-pace.ts";
import {
  defineAccessors,
  type LongTexts,
  rememberLongTexts,
  stringifyLong,
  takeLongTexts,
  type TextRange,
} from "#platform/memory/long-texts.ts";
import { type FieldSpellings, requireOneReading } from "./one-reading.ts";

/** Maximum size of a request body, in bytes. JSON contains long documents and images as base64. */
export const BODY_LIMIT = 64 * 1024 * 1024;
/** Memory per byte of a JSON body: the bytes, their text, the parsed strings, and the text that is sent. */
const MEMORY_PER_BYTE = 4;
/** Memory of a form: the parsed fields, and the part kept in memory before writing to disk. */
const FORM_MEMORY = 2 * 1024 * 1024;
/** Larger bodies are parsed one at a time, with other requests served in between. */
const LARGE = 256 * 1024;
/** In bodies larger than this, in bytes, long texts are not parsed. */
const LONG_FROM = 64 * 1024;
/** Bytes in which a model's name stands behind its field. */
const MAX_MODEL = 512;

/** A JSON object: parsed, and as the bytes that may pass on unchanged. */
export interface JsonBody {
  raw: Buffer;
  body: Wire;
}

export function isJsonBody(value: unknown): value is JsonBody {
  return typeof value === "object" && value !== null && "raw" in value && "body" in value;
}

/** Returns the body of a request. Throws `invalid_request` when there is none. */
export function jsonBody({ body }: FastifyRequest): JsonBody {
  if (!isJsonBody(body)) throw invalidRequest({ reason: "json_object_type_required" });
  return body;
}

/** Returns the memory that a body uses while it is read. */
export function bodyMemory(bytes: number, contentType = ""): number {
  return contentType.startsWith("multipart/") ? formMemory(bytes) : bytes * MEMORY_PER_BYTE;
}

/** Does the same for a form. Its part on disk does not count. */
export function formMemory(bytes: number): number {
  return Math.min(bytes, FORM_MEMORY);
}

export function bodyTooLarge(maxBytes: number): GatewayError {
  return new GatewayError("body_too_large", {
    reason: "body_over_megabytes",
    megabytes: maxBytes / 1024 / 1024,
  });
}

/** Called with the model of a large body before it is parsed. Throws to refuse the request. */
export type BeforeParsing = (request: FastifyRequest, model: string) => Promise<void>;

/** Reads JSON within the limits, parses it once and keeps the bytes. Rejects ambiguous JSON. */
export function acceptJson(app: FastifyInstance, reading: FieldSpellings, before?: BeforeParsing): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", async (request: FastifyRequest, payload: IncomingMessage) => {
    const coding = request.headers["content-encoding"];
    const scan = createJsonScan();
    const raw = isCompressed(coding)
      ? await readCompressed(payload, coding, scan, accessOf(request))
      : await readBytes(payload, scan, accessOf(request));
    if (before !== undefined && raw.length > LONG_FROM) {
      // Gemini's clients put the model into the path.
      const model = targetOf(request)?.model || modelIn(raw, scan.shortFields);
      if (model !== undefined) await before(request, model);
    }
    if (raw.length > LARGE) await nextTask();
    // Google's client sends the type with requests that have no body.
    return raw.length === 0 ? undefined : parse(raw, scan, reading);
  });
}

/** Returns the last text under the name `model` in the outermost object; undefined when there is none. */
function modelIn(raw: Buffer, fields: readonly TextRange[]): string | undefined {
  for (const { start, end } of fields.toReversed()) {
    if (raw.toString("latin1", start, end) !== "model") continue;
    const [, text] =
      /^"\s*:\s*("(?:[^"\\]|\\.){1,160}")/.exec(raw.toString("utf8", end, end + MAX_MODEL)) ?? [];
    try {
      return text === undefined ? undefined : (JSON.parse(text) as string);
    } catch {
      return undefined;
    }
  }
  return undefined;
}

/** Parses a complete JSON object, such as a message of a socket. Throws `invalid_request`, as for a body. */
export function readJson(raw: Buffer, reading: FieldSpellings): JsonBody {
  const scan = createJsonScan();
  scan.push(raw);
  return parse(raw, scan, reading);
}

/** Reads the bytes of a body and counts them in the memory budget as they arrive. */
function readBytes(payload: IncomingMessage, scan: JsonScan, { memory }: Access): Promise<Buffer> {
  const announced = Number(payload.headers["content-length"] ?? Number.NaN);
  const pieces: Buffer[] = [];
  /** Buffer of a large body of known length. Each piece is copied once, while it is in the CPU cache. */
  let whole: Buffer | undefined;
  let size = 0;
  let begun = performance.now();
  return new Promise((resolve, reject) => {
    let isOver = false;
    const end = (error?: unknown) => {
      if (isOver) return;
      isOver = true;
      if (timer !== undefined) clearTimeout(timer);
      if (error === undefined) resolve(bytes());
      else
        reject(error instanceof Error ? error : new Error("The body could not be read.", { cause: error }));
    };
    const bytes = () => {
      const all =
        whole?.subarray(0, size) ??
        (pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces, size));
      // The request and its listeners live until the response ends, so free the pieces now.
      whole = undefined;
      pieces.length = 0;
      return all;
    };
    const onClose = () => {
      if (!isOver) end(new GatewayError("client_disconnected", { reason: "client_left_body" }));
    };
    let isWaiting = false;
    const late = () => {
      if (!isWaiting) end(tooSlow());
    };
    // A small body usually arrives with its head.
    const timer = payload.readableLength === announced ? undefined : setTimeout(late, SILENCE_MS);
    const waitForMemory = async (more: number) => {
      const paused = performance.now();
      isWaiting = true;
      payload.pause();
      await memory.add(more).catch(end);
      // This time is not the sender's.
      begun += performance.now() - paused;
      isWaiting = false;
      if (!isOver) timer?.refresh();
      // After a refusal, the rest of the body is discarded.
      payload.resume();
    };
    const keep = (chunk: Buffer) => {
      // Not before so much memory is counted: most of the bytes may never come.
      if (whole === undefined && announced > LONG_FROM && memory.bytes >= announced) {
        whole = Buffer.allocUnsafeSlow(announced);
        let at = 0;
        for (const piece of pieces) at += piece.copy(whole, at);
        pieces.length = 0;
      }
      if (whole === undefined) addPiece(pieces, chunk);
      else chunk.copy(whole, size - chunk.length);
    };
    const onData = (chunk: Buffer) => {
      // Discard the data after a rejection.
      if (isOver) return;
      try {
        size += chunk.length;
        if (size > BODY_LIMIT) throw bodyTooLarge(BODY_LIMIT);
        if (timer !== undefined) requireSpeed(size, performance.now() - begun, SLOWEST);
        scan.push(chunk);
      } catch (error) {
        return end(error);
      }
      keep(chunk);
      timer?.refresh();
      const more = bodyMemory(size) - memory.bytes;
      if (more > 0 && !memory.tryAdd(more)) void waitForMemory(more);
    };
    payload
      .on("data", onData)
      .on("end", () => end())
      .on("close", onClose)
      .on("error", end);
    if (payload.destroyed) onClose();
  });
}

/** Does the same for a compressed body. Its decompressed bytes are counted. */
async function readCompressed(
  payload: IncomingMessage,
  coding: string,
  scan: JsonScan,
  { memory }: Access,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  let begun = performance.now();
  for await (const piece of decompressedPieces(payload, coding, SILENCE_MS)) {
    size += piece.length;
    if (size > BODY_LIMIT) throw bodyTooLarge(BODY_LIMIT);
    requireSpeed(size, performance.now() - begun, SLOWEST);
    scan.push(piece);
    addPiece(pieces, piece);
    const paused = performance.now();
    await memory.add(bodyMemory(size) - memory.bytes);
    begun += performance.now() - paused;
  }
  const [first] = pieces;
  return pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces, size);
}

let last: Promise<unknown> = Promise.resolve();

/** Waits for earlier large bodies and for other pending work. */
function nextTask(): Promise<unknown> {
  last = last.then(() => nextTurn());
  return last;
}

function parse(raw: Buffer, scan: JsonScan, reading: FieldSpellings): JsonBody {
  // Replacing invalid bytes could drop or change what other readers keep.
  if (!isUtf8(raw)) throw invalidRequest({ reason: "body_not_utf8" });
  requireNarrowObjects(raw, scan, reading.freeForm);
  const long = raw.length > LONG_FROM ? takeLongTexts(raw, scan.longTexts) : undefined;
  const body = parseBody(raw, long, scan.longNumbers);
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw invalidRequest({ reason: "json_object_required" });
  const wire = body as Wire;
  if (scan.longNumbers) roundSettings(wire);
  const again = requireOneReading(wire, raw, scan.keys, reading);
  const whole = again ? jsonBytes(wire, long) : raw;
  if (long !== undefined) {
    rememberLongTexts(whole, long);
    defineAccessors(wire, long);
  }
  return { raw: whole, body: wire };
}

function parseBody(raw: Buffer, long: LongTexts | undefined, longNumbers: boolean): unknown {
  if (long !== undefined)
    try {
      return parseExact(long.small, longNumbers);
    } catch {
      // The place of the mistake is that in the whole text.
    }
  try {
    return parseExact(raw.toString("utf8"), longNumbers);
  } catch (error) {
    throw invalidRequest({ reason: "body_not_json_at", place: placeOf(error) });
  }
}

/** Returns the JSON of a body. Its long texts are the received bytes. */
export function jsonBytes(value: unknown, long: LongTexts | undefined): Buffer {
  return long === undefined ? Buffer.from(JSON.stringify(value)) : stringifyLong(value, long);
}

/** Returns the position from a parser error. The error itself quotes the body, which must not be logged. */
function placeOf(error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  if (message.includes("end of JSON")) return ": it ends too early";
  const place = /at position \d+(?: \(line \d+ column \d+\))?/.exec(message)?.[0];
  return place === undefined ? "" : ` (${place})`;
}
