/**
 * Decompresses request bodies. A few bytes may expand to gigabytes, so the reader checks the size of what
 * arrives; the proportion is checked here. An incomplete body is an error, other than in responses of
 * providers (content-coding.ts).
 */
import type { IncomingMessage } from "node:http";
import { GatewayError, invalidRequest } from "#errors.ts";
import { codingNames, decoderOf, needsFirstByte } from "./decoders.ts";
import { tooSlow } from "./sender-pace.ts";

/** Bodies below this size, in bytes, may have any proportion: short repeated texts compress extremely well. */
const ANY_RATIO = 4 * 1024 * 1024;
/** Maximum size of a body as a multiple of its compressed size. Long conversations have about 10. */
const MAX_RATIO = 100;

/** Whether the header names a compression. */
export function isCompressed(coding: string | undefined): coding is string {
  return coding !== undefined && coding.trim() !== "" && coding.trim().toLowerCase() !== "identity";
}

/**
 * Yields the decompressed pieces of a body. Ends with `client_disconnected` when the sender leaves, with
 * `request_timeout` when nothing arrives for `silenceMs`, with `invalid_request` when the body cannot be
 * decompressed, and with `body_too_large` when it expands too much. The reader checks the total size. The body is
 * not destroyed, because a response follows on its connection; its rest is discarded.
 */
export async function* decompressedPieces(
  body: IncomingMessage,
  coding: string,
  silenceMs: number,
): AsyncGenerator<Buffer, void, undefined> {
  const open = decoderOf(coding, { isLenient: false });
  if (open === undefined) throw unknownCoding();
  const decoder = open(needsFirstByte(coding) ? await firstByte(body) : 0);
  const late = setTimeout(() => decoder.destroy(tooSlow()), silenceMs);
  const onClose = () => {
    if (!body.complete)
      decoder.destroy(new GatewayError("client_disconnected", { reason: "client_left_body" }));
  };
  body.on("close", onClose).on("error", onClose);
  if (body.destroyed) onClose();
  let size = 0;
  try {
    body.pipe(decoder);
    for await (const chunk of decoder) {
      const piece = chunk as Buffer;
      late.refresh();
      size += piece.length;
      if (size > ANY_RATIO && size > decoder.bytesWritten * MAX_RATIO)
        throw new GatewayError("body_too_large", { reason: "body_expands", times: MAX_RATIO });
      yield piece;
    }
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw invalidRequest({ reason: "body_not_decompressed" });
  } finally {
    clearTimeout(late);
    body.off("close", onClose).off("error", onClose);
    body.unpipe(decoder);
    decoder.destroy();
    body.resume();
  }
}

/** Returns the first byte without taking it; 0 for an empty body. */
function firstByte(body: IncomingMessage): Promise<number> {
  return new Promise((resolve) => {
    const look = () => {
      body.off("readable", look).off("close", look);
      const chunk = body.read() as Buffer | null;
      if (chunk !== null) body.unshift(chunk);
      resolve(chunk?.[0] ?? 0);
    };
    body.on("readable", look).on("close", look);
    if (body.destroyed) look();
  });
}

function unknownCoding(): GatewayError {
  const headers = { "accept-encoding": codingNames };
  return new GatewayError("unsupported_media_type", { reason: "body_coding_unknown" }, { headers });
}
