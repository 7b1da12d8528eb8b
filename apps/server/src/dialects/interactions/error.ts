import { encodeError } from "#dialects/gemini/error.ts";
import { formatFrame } from "#dialects/stream/sse.ts";
import { asRecord } from "#dialects/wire.ts";
import type { GatewayError } from "#errors.ts";

/** Encodes an error in a stream. Its code is a text there; everything else is as in the error of a call. */
export function encodeStreamError(error: GatewayError, requestId: string): string {
  const { message, status, details } = asRecord(encodeError(error, requestId).body["error"]) ?? {};
  const data = { event_type: "error", error: { code: error.code, message, status, details } };
  return formatFrame({ event: "error", data: JSON.stringify(data) });
}
