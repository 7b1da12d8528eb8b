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

/** The issue of one field as sent to clients: the reason and its values. */
type WireIssue = WireParams & { readonly reason: string };
type ErrorIssues = Readonly<Record<string, WireIssue>>;

/** Optional details of a `GatewayError`. */
export interface ErrorDetails {
  /** Overrides the status of the code, for example with a provider's. */
  status?: number;
  /** Seconds until a retry makes sense; sent as `Retry-After`. */
  retryAfter?: number | undefined;
  /** Path of the offending field, e.g. `messages.0.role`. */
  param?: string | undefined;
  /** The form field that the error belongs to. */
  field?: string;
  /** Several form fields, each with its own issue. */
  issues?: Readonly<Record<string, FieldIssue>>;
  /** Rate-limit headers for AI clients. */
  headers?: Record<string, string>;
  /** Fields by which a client's library recognizes this error, where its dialect supports them. */
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

/** Params are optional for a code whose template uses none. */
type Rest<Code extends ErrorCode> = [keyof ErrorParams<Code>] extends [never]
  ? [params?: Record<string, never>, details?: ErrorDetails]
  : [params: ErrorParams<Code>, details?: ErrorDetails];

/**
 * The only error class of the server: a code of the registry with its params. The message is built here from
 * the template. The domain throws it without knowing HTTP bodies; each API encodes it for its clients. Params
 * never contain a secret or a provider's address.
 */
export class GatewayError<Code extends ErrorCode = ErrorCode> extends Error {
  readonly code: ErrorCode;
  readonly params: WireParams;
  readonly status: number;
  readonly retryAfter: number | undefined;
  readonly param: string | undefined;
  /** Issues by form field. */
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
    // Params are texts and numbers; the type of each reason names them one by one.
    this.issues = (details.issues as ErrorIssues | undefined) ?? issueOf(details.field, code, params);
    this.headers = details.headers;
    this.details = details.details;
    this.original = details.original;
  }
}

/** Returns an error as part of an otherwise successful response. */
export function factsOf({ message, code, params }: GatewayError) {
  return { message, code, params: { ...params } };
}

function issueOf(field: string | undefined, code: ErrorCode, params: WireParams) {
  return field === undefined ? undefined : { [field]: { ...params, reason: nameOf(code, params) } };
}

/** Returns an error as the reason of a stored fact. */
export function reasonOfError({ message, code, params }: GatewayError): Reason {
  return { text: message, facts: [{ code, params: { ...params } }] };
}

/** Returns the error for a request or field that the route does not accept. */
export function invalidRequest(params: ErrorParams<"invalid_request">, details?: ErrorDetails): GatewayError {
  return new GatewayError("invalid_request", params, details);
}

/** Returns the error for a call whose key belongs to a disabled account. */
export function ownerDisabled(): GatewayError {
  return new GatewayError("user_disabled", {}, { status: errorStatus.token_disabled });
}

/**
 * Returns one error for several fields, each with its issue; undefined without any. The first one determines
 * the message.
 */
export function invalidFields(issues: Readonly<Record<string, FieldIssue>>): GatewayError | undefined {
  const [first] = Object.entries(issues);
  if (first === undefined) return undefined;
  const [field, issue] = first;
  return new GatewayError("invalid_request", { ...issue, field }, { issues });
}

/** Returns the same error with the path of the field in the caller's request. */
export function atField({ code, params, status, cause }: GatewayError, field: string): GatewayError {
  // The code accepts the params it already had; `field` only adds the place.
  const given = { ...params, field } as ErrorParams<"invalid_request">;
  return new GatewayError(code as "invalid_request", given, { status, cause });
}

/** Returns the error for a faulty address in the settings, when the request itself was valid. */
export function addressFailed(cause: GatewayError): GatewayError {
  const given = { ...cause.params } as ErrorParams<"upstream_failed">;
  return new GatewayError("upstream_failed", given, { cause });
}

/** Returns a provider's own message, with our code for its failure. */
export function providerError(code: ErrorCode, message: string, details: ErrorDetails): GatewayError {
  // Under each code the template is only the message.
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

/** Returns the error for a model that an operator disabled everywhere. */
export function modelDisabled(model: string): GatewayError {
  return new GatewayError("model_not_found", { reason: "model_disabled", model }, { param: "model" });
}

export function noChannel(model: string): GatewayError {
  return new GatewayError("no_channel", { model });
}

/** Returns the error while no call can be recorded, so none may begin. */
export function databaseAway(cause: unknown): GatewayError {
  return new GatewayError("unavailable", { reason: "database_away" }, { retryAfter: 1, cause });
}

/** Returns the error while the database can be read, but nothing can be charged or stored. */
export function databaseFull(cause: unknown): GatewayError {
  return new GatewayError("unavailable", { reason: "database_full" }, { retryAfter: 30, cause });
}

/** Returns the error while connected to a standby or a read-only server. */
export function databaseReadOnly(cause: unknown): GatewayError {
  return new GatewayError("unavailable", { reason: "database_read_only" }, { retryAfter: 5, cause });
}

/** Returns the error for what a stopping node does not begin or finish. Another node serves the next attempt. */
export function shuttingDown(): GatewayError {
  return new GatewayError("shutting_down", {}, { retryAfter: 1 });
}

/** Returns the error when another transaction locks the account's rows longer than a call waits. */
export function accountBusy(): GatewayError {
  return new GatewayError("account_busy", {}, { retryAfter: 5 });
}

/**
 * Returns the error when the reservation was released before the call ended, because this node sent no
 * heartbeat for too long.
 */
export function reservationLost(): GatewayError {
  return new GatewayError("reservation_lost", {}, { retryAfter: 1 });
}

/**
 * Returns the error for a state that callers cannot cause or fix. The log gets the cause, the caller the
 * request id.
 */
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
