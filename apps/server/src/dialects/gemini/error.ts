import { lookupTable } from "@gateway/shared/lookup-table";
import { z } from "zod";
import type { Wire, WireError } from "#dialects/dialect.ts";
import { type Headers, kindOfStatus, messageOf, messageWithPath, retryAfterOf } from "#dialects/failure.ts";
import type { ChatRequest, UpstreamError } from "#dialects/ir.ts";
import { parseJson } from "#dialects/json/parse-json.ts";
import { formatFrame } from "#dialects/stream/sse.ts";
import { compact, readAs } from "#dialects/wire.ts";
import type { GatewayError } from "#errors.ts";

const statusNames: Record<number, string> = {
  401: "UNAUTHENTICATED",
  402: "FAILED_PRECONDITION",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ABORTED",
  429: "RESOURCE_EXHAUSTED",
  501: "UNIMPLEMENTED",
  502: "UNAVAILABLE",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

/**
 * Returns the error body. `code` is the status in this API; our own code and
 * params are in `details` (google.rpc.ErrorInfo).
 */
function errorBody(error: GatewayError, requestId: string): Wire {
  const { code, params } = error;
  const status = statusNames[error.status] ?? (error.status >= 500 ? "INTERNAL" : "INVALID_ARGUMENT");
  const metadata = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]));
  const details = [
    { "@type": `${TYPES}/google.rpc.ErrorInfo`, reason: code, domain: "gateway", metadata },
    { "@type": `${TYPES}/google.rpc.RequestInfo`, requestId },
  ];
  const text = `${messageWithPath(error)} (request id: ${requestId})`;
  return { error: { code: error.status, message: text, status, details } };
}

const TYPES = "type.googleapis.com";

export function encodeError(error: GatewayError, requestId: string): WireError {
  return { status: error.status, body: errorBody(error, requestId) };
}

/** Encodes an error in a stream. In a stream that is one array, the error is the last element. */
export function encodeStreamError(error: GatewayError, requestId: string, request?: ChatRequest): string {
  const data = JSON.stringify(errorBody(error, requestId));
  return request?.jsonArrayStream === true ? `,\n${data}]` : formatFrame({ data });
}

const errorObject = z.looseObject({
  code: z.union([z.number(), z.string()]).nullish(),
  message: z.string().nullish(),
  status: z.string().nullish(),
  details: z
    .array(z.looseObject({ reason: z.string().nullish(), retryDelay: z.string().nullish() }))
    .nullish(),
});

const errorAnswer = z.looseObject({ error: errorObject });

/** Error names that are more specific than their HTTP status. */
const kindOfName = lookupTable<UpstreamError["kind"]>({
  API_KEY_INVALID: "auth",
  API_KEY_EXPIRED: "auth",
  API_KEY_SERVICE_BLOCKED: "auth",
  UNAUTHENTICATED: "auth",
  PERMISSION_DENIED: "auth",
  // The account's region or billing does not permit the service; the caller cannot fix that.
  FAILED_PRECONDITION: "auth",
  BILLING_DISABLED: "quota",
  RESOURCE_EXHAUSTED: "rate-limited",
  UNAVAILABLE: "overloaded",
  DEADLINE_EXCEEDED: "timeout",
  NOT_FOUND: "not-found",
  INVALID_ARGUMENT: "bad-request",
  INTERNAL: "server",
});

/** Decodes the error of a response or of a chunk. `status` is 0 within a stream. */
export function decodeErrorObject(value: unknown, status: number): UpstreamError {
  const error = readAs(errorAnswer, Array.isArray(value) ? value[0] : value)?.error;
  const stated = Number(error?.code);
  const known = status >= 400 || !(stated >= 400 && stated < 600) ? status : stated;
  const details = error?.details ?? [];
  const reason = details.find((detail) => detail.reason)?.reason ?? undefined;
  const delay = Number.parseFloat(details.find((detail) => detail.retryDelay)?.retryDelay ?? "");
  const named = kindOfName[reason ?? ""] ?? kindOfName[error?.status ?? ""];
  const plain = known >= 400 ? kindOfStatus(known) : undefined;
  const decides = plain === undefined || plain === "bad-request" || named === "quota";
  return compact<UpstreamError>({
    kind: decides ? (named ?? plain ?? "server") : plain,
    message: messageOf(error?.message, known),
    status: known,
    code: reason ?? error?.status ?? undefined,
    retryAfter: delay >= 0 ? Math.min(Math.ceil(delay), 86_400) : undefined,
  });
}

export function decodeError(status: number, body: string, headers: Headers): UpstreamError {
  const error = decodeErrorObject(parseJson(body), status);
  const retryAfter = retryAfterOf(headers);
  return retryAfter === undefined ? error : { ...error, retryAfter };
}
