import { lookupTable } from "@gateway/shared/lookup-table";
import { z } from "zod";
import type { Wire, WireError } from "#dialects/dialect.ts";
import {
  type Headers,
  kindOfStatus,
  messageOf,
  paramsOf,
  messageWithPath,
  retryAfterOf,
} from "#dialects/failure.ts";
import type { UpstreamError } from "#dialects/ir.ts";
import { parseJson } from "#dialects/json/parse-json.ts";
import { formatFrame } from "#dialects/stream/sse.ts";
import { asRecord, compact, readAs } from "#dialects/wire.ts";
import type { GatewayError } from "#errors.ts";

function typeOf(status: number): string {
  switch (status) {
    case 401:
      return "authentication_error";
    case 402:
      return "billing_error";
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 413:
      return "request_too_large";
    case 429:
      return "rate_limit_error";
    case 503:
      return "overloaded_error";
    case 504:
      return "timeout_error";
    default:
      return status >= 500 ? "api_error" : "invalid_request_error";
  }
}

function errorBody(error: GatewayError, requestId: string): Wire {
  const { code, params, details, original } = error;
  if (original?.dialect === "anthropic")
    return { type: "error", error: { ...original.fields }, request_id: requestId };
  const text = `${messageWithPath(error)} (request id: ${requestId})`;
  return {
    type: "error",
    error: {
      type: typeOf(error.status),
      code,
      message: text,
      ...paramsOf(params),
      ...(details === undefined ? {} : { details }),
    },
    request_id: requestId,
  };
}

export function encodeError(error: GatewayError, requestId: string): WireError {
  return { status: error.status, body: errorBody(error, requestId) };
}

export function encodeStreamError(error: GatewayError, requestId: string): string {
  return formatFrame({ event: "error", data: JSON.stringify(errorBody(error, requestId)) });
}

const errorAnswer = z.looseObject({
  error: z
    .looseObject({
      type: z.string().nullish(),
      // Providers with a copy of this API add their own error code.
      code: z.union([z.string(), z.number()]).nullish(),
      message: z.string().nullish(),
    })
    .nullish(),
  message: z.string().nullish(),
});

const kindOfType = lookupTable<UpstreamError["kind"]>({
  invalid_request_error: "bad-request",
  request_too_large: "bad-request",
  authentication_error: "auth",
  permission_error: "auth",
  billing_error: "quota",
  not_found_error: "not-found",
  rate_limit_error: "rate-limited",
  overloaded_error: "overloaded",
  timeout_error: "timeout",
  api_error: "server",
});

/** In characters; a longer error is reduced to its message. */
const MAX_ORIGINAL = 16 * 1024;

/** Decodes the error of a response or of an event. `status` is 0 within a stream. */
export function decodeErrorObject(value: unknown, status: number): UpstreamError {
  const wire = readAs(errorAnswer, value);
  const type = wire?.error?.type ?? undefined;
  const named = type === undefined ? undefined : kindOfType[type];
  const plain = status >= 400 ? kindOfStatus(status) : undefined;
  // The status decides. The type is used only where several errors share the status.
  const kind = plain === undefined || plain === "bad-request" ? (named ?? plain ?? "server") : plain;
  return compact<UpstreamError>({
    kind,
    message: messageOf(wire?.error?.message ?? wire?.message, status),
    status,
    code: wire?.error?.code?.toString() || type,
  });
}

export function decodeError(status: number, body: string, headers: Headers): UpstreamError {
  const parsed = parseJson(body);
  const error = decodeErrorObject(parsed, status);
  const retryAfter = retryAfterOf(headers);
  const fields = asRecord(asRecord(parsed)?.["error"]);
  const isWhole = typeof fields?.["type"] === "string" && typeof fields["message"] === "string";
  return {
    ...error,
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(isWhole && body.length <= MAX_ORIGINAL ? { original: { dialect: "anthropic", fields } } : {}),
  };
}
