import {
  type ErrorCode,
  type ErrorParams,
  errorStatus,
  type FieldIssue,
  messageOf,
  nameOf,
} from "@gateway/shared/errors";
import type { WireParams } from "@gateway/shared/errors/phrase";
import type { Reason } from "@gateway/shared/reasons";

/** What is wrong with one field, as it travels: the reason and its values. */
type WireIssue = WireParams & { readonly reason: string };
type ErrorIssues = Readonly<Record<string, WireIssue>>;

/** What a `GatewayError` may carry besides its code and params. */
export interface ErrorDetails {
  /** Another status than the code's own, for example a provider's. */
  status?: number;
  /** Seconds until a retry makes sense; becomes `Retry-After`. */
  retryAfter?: number | undefined;
  /** Path of the offending field, e.g. `messages.0.role`. */
  param?: string | undefined;
  /** The form field that the error belongs to. */
  field?: string;
  /** Several form fields, each with its own issue. */
  issues?: Readonly<Record<string, FieldIssue>>;
  /** Headers that say where an AI client stands. */
  headers?: Record<string, string>;
  /** What a client's library recognizes this error by, where its dialect has a place for that. */
  details?: Record<string, unknown>;
  /** The provider's own error, for clients of its dialect. */
  original?: OriginalError | undefined;
  cause?: unknown;
}

/** An error object of a provider, without anything that clients may not see. */
export interface OriginalError {
  readonly dialect: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A code whose template names no value needs no params. */
type Rest<Code extends ErrorCode> = [keyof ErrorParams<Code>] extends [never]
  ? [params?: Record<string, never>, details?: ErrorDetails]
  : [params: ErrorParams<Code>, details?: ErrorDetails];

/**
 * The one error of the server: a code of the registry and its params. The message is filled in here, from the template.
 * The domain throws it and does not know HTTP bodies; each API encodes it for its clients. Params are never a secret and
 * never a provider's address.
 */
export class GatewayError<Code extends ErrorCode = ErrorCode> extends Error {
  readonly code: ErrorCode;
  readonly params: WireParams;
  readonly status: number;
  readonly retryAfter: number | undefined;
  readonly param: string | undefined;
  /** What is wrong with which form field. */
  readonly issues: ErrorIssues | undefined;
  readonly headers: Record<string, string> | undefined;
  readonly details: Record<string, unknown> | undefined;
  readonly original: OriginalError | undefined;

  constructor(code: Code, ...[given, details = {}]: Rest<Code>) {
    const params: WireParams = { ...given };
    super(messageOf(code, params), { cause: details.cause });
    this.name = "GatewayError";
    this.code = code;
    this.params = params;
    this.status = details.status ?? errorStatus[code];
    this.retryAfter = details.retryAfter;
    this.param = details.param ?? details.field ?? params["field"]?.toString();
    // Params are texts and numbers, which the type of each reason names one by one.
    this.issues = (details.issues as ErrorIssues | undefined) ?? issueOf(details.field, code, params);
    this.headers = details.headers;
    this.details = details.details;
    this.original = details.original;
  }
}

/** An error as a part of an answer that succeeds otherwise. */
export function factsOf({ message, code, params }: GatewayError) {
  return { message, code, params: { ...params } };
}

function issueOf(field: string | undefined, code: ErrorCode, params: WireParams) {
  return field === undefined ? undefined : { [field]: { ...params, reason: nameOf(code, params) } };
}

/** An error as the reason of something that is stored. */
export function reasonOfError({ message, code, params }: GatewayError): Reason {
  return { text: message, facts: [{ code, params: { ...params } }] };
}

/** The request or one of its fields is not what the route takes. */
export function invalidRequest(params: ErrorParams<"invalid_request">, details?: ErrorDetails): GatewayError {
  return new GatewayError("invalid_request", params, details);
}

/** Several fields at once, each with its issue; undefined without any. The first one names the whole. */
export function invalidFields(issues: Readonly<Record<string, FieldIssue>>): GatewayError | undefined {
  const [first] = Object.entries(issues);
  if (first === undefined) return undefined;
  const [field, issue] = first;
  return new GatewayError("invalid_request", { ...issue, field }, { issues });
}

/** The same mistake at the place in the caller's request where it was made. */
export function atField({ code, params, status, cause }: GatewayError, field: string): GatewayError {
  // Every code takes the params it had; `field` only says where.
  const given = { ...params, field } as ErrorParams<"invalid_request">;
  return new GatewayError(code as "invalid_request", given, { status, cause });
}

/** What was wrong with an address in the settings, seen from a request that was good. */
export function addressFailed(cause: GatewayError): GatewayError {
  const given = { ...cause.params } as ErrorParams<"upstream_failed">;
  return new GatewayError("upstream_failed", given, { cause });
}

/** A provider's own message, under the code that its failure has here. */
export function providerError(code: ErrorCode, message: string, details: ErrorDetails): GatewayError {
  // The template is nothing but the message, under each code.
  return new GatewayError(code as "upstream_refused", { reason: "provider_message", message }, details);
}

export function invalidKey(): GatewayError {
  return new GatewayError("invalid_api_key", { reason: "api_key_unknown" });
}

export function insufficientQuota(): GatewayError {
  return new GatewayError("insufficient_quota");
}

export function tokenQuotaExhausted(): GatewayError {
  return new GatewayError("token_quota_exhausted");
}

export function modelNotFound(model: string): GatewayError {
  return new GatewayError("model_not_found", { reason: "model_unknown", model }, { param: "model" });
}

export function noChannel(model: string): GatewayError {
  return new GatewayError("no_channel", { model });
}

/** Calls that begin now could not be recorded, so none begins. */
export function databaseAway(cause: unknown): GatewayError {
  return new GatewayError("unavailable", { reason: "database_away" }, { retryAfter: 1, cause });
}

/** The database can be read, but nothing can be charged or stored. */
export function databaseFull(cause: unknown): GatewayError {
  return new GatewayError("unavailable", { reason: "database_full" }, { retryAfter: 30, cause });
}

/** Connected to a standby, or to a server that was made read-only. */
export function databaseReadOnly(cause: unknown): GatewayError {
  return new GatewayError("unavailable", { reason: "database_read_only" }, { retryAfter: 5, cause });
}

/** Another transaction locked the account's rows for longer than a call waits. */
export function accountBusy(): GatewayError {
  return new GatewayError("account_busy", {}, { retryAfter: 5 });
}

/** The reservation was released before the call ended, because this node did not report for too long. */
export function reservationLost(): GatewayError {
  return new GatewayError("reservation_lost", {}, { retryAfter: 1 });
}

/** Not a state that a caller can reach or fix: the log gets the cause, the caller the request id. */
export function internalError(cause: unknown): GatewayError {
  return new GatewayError("internal", {}, { cause });
}

export function notFound(params: ErrorParams<"not_found">, details?: ErrorDetails): GatewayError {
  return new GatewayError("not_found", params, details);
}

export function forbidden(params: ErrorParams<"forbidden">, details?: ErrorDetails): GatewayError {
  return new GatewayError("forbidden", params, details);
}

export function conflict(params: ErrorParams<"conflict">, details?: ErrorDetails): GatewayError {
  return new GatewayError("conflict", params, details);
}

export function upstreamFailed(params: ErrorParams<"upstream_failed">, details?: ErrorDetails): GatewayError {
  return new GatewayError("upstream_failed", params, details);
}
