import { type ErrorCode, errorStatus } from "@gateway/shared/errors";

/** What a `GatewayError` may carry besides its code and sentence. */
export interface ErrorDetails {
  /** Another status than the code's own, for example a provider's. */
  status?: number;
  /** Seconds until a retry makes sense; becomes `Retry-After`. */
  retryAfter?: number;
  /** Path of the offending field, e.g. `messages.0.role`. */
  param?: string;
  /** Sentences per form field, for the console. */
  fields?: Record<string, string>;
  /** Headers that say where an AI client stands. */
  headers?: Record<string, string>;
  /** By what a client's library knows this refusal and helps itself, where its dialect has a place for that. */
  details?: Record<string, unknown>;
  cause?: unknown;
}

/**
 * The one error of the server. The domain throws it and never knows HTTP bodies; each endpoint spells it for its
 * clients. `message` is a sentence for the caller: never a secret, never a provider's address.
 */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly retryAfter: number | undefined;
  readonly param: string | undefined;
  readonly fields: Record<string, string> | undefined;
  readonly headers: Record<string, string> | undefined;
  readonly details: Record<string, unknown> | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.name = "GatewayError";
    this.code = code;
    this.status = details.status ?? errorStatus[code];
    this.retryAfter = details.retryAfter;
    this.param = details.param;
    this.fields = details.fields;
    this.headers = details.headers;
    this.details = details.details;
  }
}

/** The body or a parameter is not what the route takes; `param` is the path of the first offending field. */
export function invalidRequest(message: string, param?: string): GatewayError {
  return new GatewayError("invalid_request", message, param === undefined ? {} : { param });
}

export function invalidKey(): GatewayError {
  return new GatewayError("invalid_key", "The API key is not valid.");
}

export function insufficientQuota(): GatewayError {
  return new GatewayError(
    "insufficient_quota",
    "The account balance does not cover this request. Top up and try again.",
  );
}

export function tokenQuotaExhausted(): GatewayError {
  return new GatewayError("token_quota_exhausted", "The quota of this API key does not cover this request.");
}

export function modelNotFound(model: string): GatewayError {
  return new GatewayError(
    "model_not_found",
    `The model "${model}" does not exist or is not available to this key.`,
    {
      param: "model",
    },
  );
}

export function noChannel(model: string): GatewayError {
  return new GatewayError(
    "no_channel",
    `No channel can serve the model "${model}" right now. Try again shortly.`,
  );
}

/** Calls that begin now would not be on the books, so none begins. */
export function databaseAway(cause: unknown): GatewayError {
  return new GatewayError("unavailable", "The database does not answer right now. Try again in a moment.", {
    retryAfter: 1,
    cause,
  });
}

/** The database can be read, but nothing can be charged or stored. */
export function databaseFull(cause: unknown): GatewayError {
  return new GatewayError(
    "unavailable",
    "The gateway cannot store anything: the disk of its database is full. The operator must free space. Try again later.",
    { retryAfter: 30, cause },
  );
}

/** Connected to a standby, or to a server that was made read-only. */
export function databaseReadOnly(cause: unknown): GatewayError {
  return new GatewayError(
    "unavailable",
    "The gateway cannot store anything: its database is read-only right now. Try again in a moment.",
    { retryAfter: 5, cause },
  );
}

/** Another transaction locked the account's rows for longer than a call waits. */
export function accountBusy(): GatewayError {
  return new GatewayError(
    "account_busy",
    "This account is locked by another operation right now. Nothing was charged. Try again in a moment.",
    { retryAfter: 5 },
  );
}

/** The reservation was released before the call ended, because this node did not report for too long. */
export function reservationLost(): GatewayError {
  return new GatewayError(
    "reservation_lost",
    "The gateway was interrupted during this request and its reservation was released. At most what had been delivered is charged. Send the request again.",
    { retryAfter: 1 },
  );
}

export function notFound(what: string): GatewayError {
  return new GatewayError("not_found", `${what} not found.`);
}

export function forbidden(message = "You may not do this."): GatewayError {
  return new GatewayError("forbidden", message);
}

export function conflict(message: string, fields?: Record<string, string>): GatewayError {
  return new GatewayError("conflict", message, fields === undefined ? {} : { fields });
}
