import { crc32 } from "node:zlib";

/**
 * AWS's framing of streams: length, headers, payload, checksums. Independent of the payloads' content.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html, read 2026-11.
 */
export interface EventMessage {
  headers: Record<string, string>;
  payload: Buffer;
}

const PRELUDE = 12;
const CHECKSUM = 4;
const STRING = 7;
/** Maximum message length in bytes. Chat messages are far shorter; a larger length is corrupt data. */
const MAX_MESSAGE = 24 * 1024 * 1024;

/**
 * Returns a function that extracts messages from arbitrary chunks.
 * It throws on a message whose checksum is wrong.
 */
export function createMessageSplitter(): (chunk: Uint8Array) => EventMessage[] {
  /** The bytes of an incomplete message, and room for more: a long one may arrive in thousands of chunks. */
  let pending = Buffer.alloc(0);
  let length = 0;
  return (chunk) => {
    if (length + chunk.length > pending.length) {
      const larger = Buffer.allocUnsafe(Math.max(pending.length * 2, length + chunk.length));
      pending.copy(larger, 0, 0, length);
      pending = larger;
    }
    pending.set(chunk, length);
    length += chunk.length;
    const messages: EventMessage[] = [];
    let rest = pending.subarray(0, length);
    for (let end = messageEnd(rest); end !== undefined; end = messageEnd(rest)) {
      messages.push(readMessage(rest.subarray(0, end)));
      rest = rest.subarray(end);
    }
    if (messages.length > 0) {
      pending = Buffer.from(rest);
      length = rest.length;
    }
    return messages;
  };
}

/** Returns the length of the first message; undefined while it is incomplete. */
function messageEnd(bytes: Buffer): number | undefined {
  if (bytes.length < PRELUDE) return undefined;
  const end = bytes.readUInt32BE(0);
  if (end < PRELUDE + CHECKSUM || end > MAX_MESSAGE || crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8))
    throw damagedError();
  return bytes.length < end ? undefined : end;
}

function readMessage(message: Buffer): EventMessage {
  if (crc32(message.subarray(0, -CHECKSUM)) !== message.readUInt32BE(message.length - CHECKSUM))
    throw damagedError();
  const headerEnd = PRELUDE + message.readUInt32BE(4);
  return {
    headers: readHeaders(message.subarray(PRELUDE, headerEnd)),
    payload: message.subarray(headerEnd, -CHECKSUM),
  };
}

function damagedError(): Error {
  return new Error("The event stream is damaged.");
}

/** Byte lengths of header values by type, for types other than strings; those headers are skipped. */
const widths: Record<number, number> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };

function readHeaders(bytes: Buffer): Record<string, string> {
  const headers: Record<string, string> = {};
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + bytes.readUInt8(at);
    const name = bytes.toString("utf8", at + 1, nameEnd);
    const type = bytes.readUInt8(nameEnd);
    const width = widths[type];
    if (width !== undefined) {
      at = nameEnd + 1 + width;
      continue;
    }
    const end = nameEnd + 3 + bytes.readUInt16BE(nameEnd + 1);
    if (type === STRING) headers[name] = bytes.toString("utf8", nameEnd + 3, end);
    at = end;
  }
  return headers;
}
