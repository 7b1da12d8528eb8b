import { lookupTable } from "@gateway/shared/lookup-table";
import { z } from "zod";
import type { Wire, WireError } from "#dialects/dialect.ts";
import { type Headers, kindOfStatus, messageOf, paramsOf, retryAfterOf } from "#dialects/failure.ts";
import type { UpstreamError } from "#dialects/ir.ts";
import { parseJson } from "#dialects/json/parse-json.ts";
import { formatFrame } from "#dialects/stream/sse.ts";
import { compact, readAs } from "#dialects/wire.ts";
import type { GatewayError } from "#errors.ts";

/** Returns the `type` that client libraries of this API know. The code is ours. */
function typeOf({ code, status }: GatewayError): string {
  switch (code) {
    case "invalid_api_key":
      return "invalid_request_error";
    case "insufficient_quota":
    case "token_quota_exhausted":
    case "spend_limit_reached":
    case "budget_exceeded":
    case "session_budget_exhausted":
      return "insufficient_quota";
    case "rate_limit_exceeded":
    case "upstream_rate_limited":
      return "rate_limit_error";
    default:
      if (status >= 500) return "server_error";
      return status === 403 ? "permission_error" : "invalid_request_error";
  }
}

function errorBody(error: GatewayError, requestId: string): Wire {
  const { message, code, params, param = null } = error;
  const text = `${message} (request id: ${requestId})`;
  return {
    error: { message: text, type: typeOf(error), code, param, ...paramsOf(params) },
  };
}

export function encodeError(error: GatewayError, requestId: string): WireError {
  return { status: error.status, body: errorBody(error, requestId) };
}

/** Encodes an error in a stream. Clients detect the failure by the error and by the missing `[DONE]`. */
export function encodeStreamError(error: GatewayError, requestId: string): string {
  return formatFrame({ data: JSON.stringify(errorBody(error, requestId)) });
}

const errorObject = z.looseObject({
  message: z.string().nullish(),
  type: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
  param: z.string().nullish(),
});

const errorAnswer = z.looseObject({
  error: z.union([z.string(), errorObject]).nullish(),
  message: z.string().nullish(),
  detail: z.unknown().optional(),
  // For providers that do not wrap their error in an object.
  code: z.union([z.string(), z.number()]).nullish(),
  error_code: z.string().nullish(),
  reason: z.string().nullish(),
  name: z.string().nullish().catch(undefined),
  errors: z.array(z.unknown()).nullish().catch(undefined),
  type: z.string().nullish(),
  base_resp: z.looseObject({ status_code: z.number(), status_msg: z.string().nullish() }).nullish(),
});

/** Codes that are more specific than their HTTP status. */
const kindOfCode = lookupTable<UpstreamError["kind"]>({
  insufficient_quota: "quota",
  billing_hard_limit_reached: "quota",
  billing_not_active: "quota",
  insufficient_balance: "quota",
  invalid_api_key: "auth",
  account_deactivated: "auth",
  authentication_error: "auth",
  permission_error: "auth",
  model_not_found: "not-found",
  rate_limit_exceeded: "rate-limited",
  rate_limit_error: "rate-limited",
  overloaded_error: "overloaded",
  engine_overloaded_error: "overloaded",
  invalid_request_error: "bad-request",
  context_length_exceeded: "bad-request",
  server_error: "server",
});

function kindOf(status: number, code: string, type: string): UpstreamError["kind"] {
  const named = kindOfCode[code] ?? kindOfCode[type];
  if (status < 400) return named ?? "server";
  const plain = kindOfStatus(status);
  if (named === "quota" || (named === "auth" && plain === "bad-request")) return named;
  return plain;
}

/** Adds Xiaomi's error text to the message: it is in `param`, where others name the parameter. */
function withSentence(error: z.infer<typeof errorObject>): z.infer<typeof errorObject> {
  const { message, param, ...others } = error;
  return param?.includes(" ") ? { ...others, message: `${message ?? "Refused"}: ${param}` } : error;
}

/** Returns the error, from any of the places that providers use. A named code is preferred to a number. */
function errorIn(answer: z.infer<typeof errorAnswer> | undefined): z.infer<typeof errorObject> {
  if (typeof answer?.error === "object" && answer.error !== null) return withSentence(answer.error);
  const { base_resp: inside, reason, error_code, name, code, type, errors } = answer ?? {};
  if (inside) return { message: inside.status_msg, code: inside.status_code };
  const listed = answer?.message ? undefined : readAs(errorObject, errors?.[0]);
  if (listed?.message) return listed;
  const message = [answer?.error, errors?.[0]].find((sentence) => typeof sentence === "string");
  return { message, code: reason ?? error_code ?? name ?? code, type };
}

/** Decodes the error object of a response or of a frame. `status` is 0 within a stream. */
export function decodeErrorObject(value: unknown, status: number): UpstreamError {
  const answer = readAs(errorAnswer, Array.isArray(value) ? value[0] : value);
  const error = errorIn(answer);
  const code = error.code === undefined || error.code === null ? "" : String(error.code);
  const stated = Number(code);
  const known =
    status >= 400 ? status : Number.isInteger(stated) && stated >= 400 && stated < 600 ? stated : status;
  return compact<UpstreamError>({
    kind: kindOf(known, code, error.type ?? ""),
    // Some providers send the plain message without an object.
    message: messageOf(error.message ?? answer?.message ?? answer?.detail ?? value, known),
    status: known,
    code: code || (error.type ?? undefined),
    param: error.param ?? undefined,
  });
}

export function decodeError(status: number, body: string, headers: Headers): UpstreamError {
  const error = decodeErrorObject(parseJson(body), status);
  const retryAfter = retryAfterOf(headers);
  return retryAfter === undefined ? error : { ...error, retryAfter };
}
