/**
 * Complete responses in memory. Responses that must be read whole before they are sent (translations,
 * corrections, conversions) count in the memory budget. Others are read up to `LARGE_BYTES` and passed on as
 * they arrive beyond that.
 */
import { StringDecoder } from "node:string_decoder";
import { lookupTable } from "@gateway/shared/lookup-table";
import type { UpstreamError } from "#dialects/ir.ts";
import { addPiece } from "#platform/body/add-piece.ts";
import type { UpstreamResponse } from "#platform/http/exchange.ts";
import { bodyOf, textIn } from "#platform/http/response-body.ts";
import { tooLarge } from "#platform/http/transport-error.ts";
import type { MemoryShare } from "#relay/core/call.ts";

/**
 * Maximum size of a response that is read into memory if it can pass unchanged. Larger ones pass as bytes.
 * Bodies with an error are shorter.
 */
const LARGE_BYTES = 256 * 1024;
/** Maximum size of a response that is not counted in the memory budget. Covers most responses. */
export const UNCOUNTED_BYTES = 64 * 1024;
/** Copies in memory: the response, and its form for the client. */
const COPIES = 2;
const FIRST_STEP = 1024 * 1024;
/** Bytes that are decoded together. */
const DECODED_BYTES = 256 * 1024;
/** Buffers of a passing response: at the provider's connection, here, and at the client's connection. */
const PASSING_BYTES = 1024 * 1024;

/**
 * Returns the whole text. Throws TransportError, also when it exceeds `maxBytes`, and `overloaded` when the
 * memory budget has no room in time. Reading stops then.
 */
export async function wholeText(
  response: Pick<UpstreamResponse, "headers" | "chunks" | "text">,
  maxBytes: number,
  memory: MemoryShare | undefined,
): Promise<string> {
  const length = lengthOf(response);
  if (memory === undefined || (length !== undefined && length <= UNCOUNTED_BYTES))
    return response.text(maxBytes);
  // Decoded as it arrives, because a text of many megabytes takes long to decode at once.
  const decoder = new StringDecoder("utf8");
  let text = "";
  let parts: Buffer[] = [];
  let waiting = 0;
  const chunks = response.chunks();
  let size = 0;
  let counted = 0;
  const count = async (more: number) => {
    await memory.add(more);
    counted += more;
  };
  try {
    if (length !== undefined) {
      if (length > maxBytes) throw tooLarge(maxBytes);
      await count(length * COPIES);
    }
    for await (const chunk of chunks) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      addPiece(parts, chunk);
      waiting += chunk.length;
      if (waiting > DECODED_BYTES) {
        text += decoder.write(Buffer.concat(parts, waiting));
        parts = [];
        waiting = 0;
      }
      if (size > UNCOUNTED_BYTES && size * COPIES > counted)
        await count(Math.max(size * COPIES - counted, counted, FIRST_STEP));
    }
  } catch (error) {
    memory.giveBack(counted);
    await chunks.return();
    throw error;
  }
  memory.giveBack(counted - size * COPIES);
  return text === "" ? textIn(parts) : text + decoder.end(Buffer.concat(parts, waiting));
}

/** The error for a response that is no response of its format. */
export function unreadableError(status: number): UpstreamError {
  return { kind: "server", message: "The upstream's answer could not be read.", status };
}

/** The error for a response without content and usage. */
export function emptyResponseError(status: number): UpstreamError {
  return { kind: "server", message: "The provider returned an empty response.", status };
}

const ends = lookupTable<string>({ "{": "}", "[": "]" });

/** Returns whether the end of a JSON text is missing, because its connection ended early. */
export function isCut(text: string): boolean {
  const end = ends[text.trimStart().charAt(0)];
  return end !== undefined && !text.trimEnd().endsWith(end);
}

/** A whole text, or a response of which only the beginning was read. */
export type TextOrHead = { text: string } | { head: string; response: UpstreamResponse };

/** Reads a response that may pass unchanged, unless it is large. Throws as `wholeText` does. */
export async function beginOf(
  response: UpstreamResponse,
  memory: MemoryShare | undefined,
): Promise<TextOrHead> {
  const length = lengthOf(response);
  if (length !== undefined && length <= UNCOUNTED_BYTES) return { text: await response.text(LARGE_BYTES) };
  const parts: Buffer[] = [];
  const chunks = response.chunks();
  let size = 0;
  while (size <= LARGE_BYTES) {
    const next = await chunks.next();
    if (next.done === true) {
      if (size > UNCOUNTED_BYTES) await memory?.add(size * COPIES);
      return { text: textIn(parts) };
    }
    size += next.value.length;
    addPiece(parts, next.value);
  }
  try {
    await memory?.add(PASSING_BYTES);
  } catch (error) {
    await chunks.return();
    throw error;
  }
  return { head: textIn(parts.slice(0, 1)), response: rewindResponse(response, parts, chunks) };
}

function lengthOf({ headers }: Pick<UpstreamResponse, "headers">): number | undefined {
  const length = headers["content-length"];
  return typeof length === "string" && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

// Some proxies send event streams as `application/json`, so only the body shows its format.
const eventStart = /^\uFEFF?\s*(?:data|event|id|retry|):/;

/** Whether a text is server-sent events. */
export function isEvents(text: string): boolean {
  return eventStart.test(text);
}

/** Maximum number of bytes read to detect the format. */
const MAX_PEEKED_BYTES = 1024;

/** Reads only as much of the body as needed to detect its format. Returns a response with the whole body. */
export async function peekFormat(
  response: UpstreamResponse,
): Promise<{ response: UpstreamResponse; isEvents: boolean }> {
  const source = response.chunks();
  const begun: Buffer[] = [];
  let text = "";
  let ended = false;
  while (text.trim().length < "retry:".length && text.length < MAX_PEEKED_BYTES && !ended) {
    const next = await source.next();
    if (next.done) ended = true;
    else {
      begun.push(next.value);
      text += next.value.toString("latin1");
    }
  }
  return { response: rewindResponse(response, begun, ended ? undefined : source), isEvents: isEvents(text) };
}

/**
 * Returns the response as it was before its first chunks were read.
 * @param source the remaining chunks, if any
 */
export function rewindResponse(
  response: UpstreamResponse,
  begun: Buffer[],
  source: AsyncGenerator<Buffer, void, undefined> | undefined,
): UpstreamResponse {
  async function* chunks(): AsyncGenerator<Buffer, void, undefined> {
    try {
      // Removes each chunk before it is sent: a slow client must not keep all of them in memory.
      for (let chunk = begun.shift(); chunk !== undefined; chunk = begun.shift()) yield chunk;
      if (source !== undefined) yield* source;
    } finally {
      await source?.return();
    }
  }
  return {
    status: response.status,
    headers: response.headers,
    cancel: () => response.cancel(),
    ...bodyOf(chunks),
  };
}
