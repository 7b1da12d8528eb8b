/**
 * The client of /api: unwraps the envelope, types responses, throws typed errors.
 */
import type { Failure } from "@gateway/shared/envelope";
import { loadErrorTexts } from "./errors/late-errors.ts";
import { isGatewayFailure, reportReachable, reportUnreachable } from "./live/connection.ts";

/** An error response. `code` and `params` describe the reason, `issues` the same per form field. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly params: Failure["params"];
  readonly issues: NonNullable<Failure["issues"]>;
  readonly requestId: string;
  /** Seconds until a retry makes sense; undefined when the server does not send it. */
  readonly retryAfter: number | undefined;

  constructor(status: number, failure: Partial<Omit<Failure, "success">>, retryAfter?: number) {
    super(failure.message ?? "");
    this.name = "ApiError";
    this.status = status;
    this.code = failure.code ?? "";
    this.params = failure.params ?? {};
    this.issues = failure.issues ?? {};
    this.requestId = failure.request_id ?? "";
    this.retryAfter = retryAfter;
  }
}

type QueryValue = string | number | boolean | undefined | null;
/** A list is sent as one parameter per item. */
export type Query = Record<string, QueryValue | readonly (string | number)[]>;

/** Base path of the app with a trailing slash: "/" or "/base/". */
export const basePath =
  // Unit tests of pure functions have no document.
  typeof document === "undefined" ? "/" : new URL(document.baseURI).pathname;

/** Returns the address of an API path below the base path: "/status" → "/api/status". */
export function apiUrl(path: string, query?: Query): string {
  const url = new URL(`api${path}`, document.baseURI);
  for (const [name, values] of Object.entries(query ?? {}))
    for (const value of [values].flat())
      if (value !== undefined && value !== null && value !== "") url.searchParams.append(name, String(value));
  return url.href;
}

let onUnauthenticated: (sentAt: number) => void = () => {};

/**
 * Sets the handler of responses to requests without a session. Called once, by the query client.
 * @param act receives when the request was sent, in milliseconds
 */
export function setUnauthenticatedHandler(act: (sentAt: number) => void): void {
  onUnauthenticated = act;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Parses a response: a schema, or a smaller function for a known shape. */
export type Reader<T> = { parse: (data: unknown) => T };

/**
 * Returns a reader that does not validate: the server has already checked the response with the same schema, and the
 * schema library would be a tenth of the code of a list.
 */
export function asSent<T>(): Reader<T> {
  return { parse: (data) => data as T };
}

/** The response to a successful request has another shape, for example because it comes from a proxy. */
export class DataFormatError extends Error {
  override readonly name = "DataFormatError";
}

/** Like `asSent`, for one page of a list. Throws a DataFormatError for a response without rows. */
export function asPage<P extends { data: readonly unknown[] }>(): Reader<P> {
  return {
    parse(answer) {
      const rows =
        answer !== null && typeof answer === "object" && "data" in answer ? answer.data : undefined;
      if (!Array.isArray(rows)) throw new DataFormatError("The response is not a page of a list.");
      return asSent<P>().parse(answer);
    },
  };
}

/** Like `asSent`, for a whole list. Throws a DataFormatError for another response. */
export function asList<Rows extends readonly unknown[]>(): Reader<Rows> {
  return {
    parse(answer) {
      if (!Array.isArray(answer)) throw new DataFormatError("The response is not a list.");
      return asSent<Rows>().parse(answer);
    },
  };
}

/** Returns the error of a response; {} for the page of a proxy. */
export function failureOf(answer: unknown): Partial<Failure> {
  if (answer === null || typeof answer !== "object" || !("message" in answer)) return {};
  return typeof answer.message === "string" ? (answer as Partial<Failure>) : {};
}

/** Requests typed responses and real status codes. Without it the server behaves like One Hub. */
export const apiVersionHeader = { "api-version": "2" };

/** Timeout of reads. Writes may take longer: testing a channel waits for its provider. */
const READ_TIMEOUT_MS = 30_000;
const CHANGE_TIMEOUT_MS = 180_000;

export function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === "TimeoutError";
}

function secondsOf(header: string | null): number | undefined {
  const seconds = Number(header ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}

/** Returns the status and JSON of a response. Rejects without a connection and on timeout. */
async function exchange(url: string, options: RequestInit, timeoutMs: number) {
  try {
    const response = await fetch(url, { ...options, signal: AbortSignal.timeout(timeoutMs) });
    const answer = jsonOf(await response.text());
    if (answer === null && isGatewayFailure(response.status)) reportUnreachable();
    else reportReachable();
    return { response, answer };
  } catch (error) {
    if (!isTimeout(error)) reportUnreachable();
    throw error;
  }
}

async function request<T>(
  method: string,
  path: string,
  schema: Reader<T>,
  options: { query?: Query; body?: unknown; headers?: Record<string, string> } = {},
): Promise<T> {
  const sentAt = Date.now();
  const { response, answer } = await exchange(
    apiUrl(path, options.query),
    {
      method,
      headers: {
        ...apiVersionHeader,
        ...(options.body === undefined ? {} : { "content-type": "application/json" }),
        ...options.headers,
      },
      body: options.body === undefined ? null : JSON.stringify(options.body),
      credentials: "same-origin",
    },
    method === "GET" ? READ_TIMEOUT_MS : CHANGE_TIMEOUT_MS,
  );
  if (response.ok && answer !== null && typeof answer === "object" && "data" in answer) {
    if (!("success" in answer) || answer.success === true) return schema.parse(answer.data);
  }
  if (response.ok && failureOf(answer).success !== false)
    throw new DataFormatError("The response has no data.");
  const error = new ApiError(
    response.status,
    failureOf(answer),
    secondsOf(response.headers.get("retry-after")),
  );
  await loadErrorTexts();
  if (response.status === 401 && error.code !== "wrong_credentials") onUnauthenticated(sentAt);
  throw error;
}

/** Paths omit /api: `http.get("/channel", ChannelPage, query)`. */
export const http = {
  get: <T>(path: string, schema: Reader<T>, query?: Query, headers?: Record<string, string>) =>
    request("GET", path, schema, { query, ...(headers === undefined ? {} : { headers }) }),
  post: <T>(path: string, schema: Reader<T>, body: unknown = {}, headers?: Record<string, string>) =>
    request("POST", path, schema, { body, ...(headers === undefined ? {} : { headers }) }),
  put: <T>(path: string, schema: Reader<T>, body: unknown = {}) => request("PUT", path, schema, { body }),
  patch: <T>(path: string, schema: Reader<T>, body: unknown = {}) => request("PATCH", path, schema, { body }),
  del: <T>(path: string, schema: Reader<T>, body?: unknown) => request("DELETE", path, schema, { body }),
};
