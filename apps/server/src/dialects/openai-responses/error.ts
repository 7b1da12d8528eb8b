import type { UpstreamError } from "#dialects/ir.ts";
import { decodeErrorObject, encodeError } from "#dialects/openai-chat/error.ts";
import { formatFrame } from "#dialects/stream/sse.ts";
import { asRecord } from "#dialects/wire.ts";
import type { GatewayError } from "#errors.ts";

/** Returns the error code for a failed response. */
function failureCode(error: GatewayError): string {
  return error.status === 429
    ? "rate_limit_exceeded"
    : error.status < 500
      ? "invalid_prompt"
      : "server_error";
}

/**
 * Encodes an error in a stream. Client libraries stop at the event `error`; agents wait for
 * `response.failed`. Both are sent.
 */
export function encodeStreamError(error: GatewayError, requestId: string): string {
  const body = asRecord(encodeError(error, requestId).body["error"]) ?? {};
  const { message, param, params } = body;
  const plain = {
    type: "error",
    code: body["code"] ?? null,
    message,
    param: param ?? null,
    ...(params === undefined ? {} : { params }),
    sequence_number: 0,
  };
  const response = {
    id: `resp_${requestId}`,
    object: "response",
    created_at: Math.floor(Date.now() / 1000),
    status: "failed",
    error: { code: failureCode(error), message },
    incomplete_details: null,
    output: [],
    usage: null,
  };
  const failed = { type: "response.failed", sequence_number: 1, response };
  return (
    formatFrame({ event: "error", data: JSON.stringify(plain) }) +
    formatFrame({ event: "response.failed", data: JSON.stringify(failed) })
  );
}

/** Decodes the error of an event: its own fields, a nested error, or that of a failed response. */
export function decodeEventError(event: Record<string, unknown>): UpstreamError {
  const response = asRecord(event["response"]);
  const error = asRecord(response?.["error"]) ?? asRecord(event["error"]) ?? event;
  return decodeErrorObject(
    { error: { ...error, type: error["type"] === "error" ? null : error["type"] } },
    0,
  );
}
