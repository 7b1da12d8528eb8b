/** Speaks to /api: opens the envelope, parses the answer with the shared schema, names the error. */
import { Failure } from "@gateway/shared/envelope";
import type { z } from "zod";

/** An answer that says no. `fields` holds a sentence per form field. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly fields: Record<string, string>;
  readonly requestId: string;

  constructor(status: number, failure: Partial<Omit<Failure, "success">>) {
    super(failure.message ?? "");
    this.name = "ApiError";
    this.status = status;
    this.code = failure.code ?? "";
    this.fields = failure.fields ?? {};
    this.requestId = failure.request_id ?? "";
  }
}

type QueryValue = string | number | boolean | undefined | null;
export type Query = Record<string, QueryValue>;

/** Where the app is mounted, with a slash at the end: "/" or "/base/". */
export const basePath =
  // Pure parts are tested without a page.
  typeof document === "undefined" ? "/" : new URL(document.baseURI).pathname;

/** Address of an API path under the base path: "/status" → "/api/status". */
export function apiUrl(path: string, query?: Query): string {
  const url = new URL(`api${path}`, document.baseURI);
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined && value !== null && value !== "") url.searchParams.set(name, String(value));
  return url.href;
}

let onUnauthenticated: () => void = () => {};

/** What to do when the session is gone; set once by the query client. */
export function whenUnauthenticated(act: () => void): void {
  onUnauthenticated = act;
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return null;
  }
}

async function request<T extends z.ZodType>(
  method: string,
  path: string,
  schema: T,
  options: { query?: Query; body?: unknown } = {},
): Promise<z.output<T>> {
  const response = await fetch(apiUrl(path, options.query), {
    method,
    headers: options.body === undefined ? {} : { "content-type": "application/json" },
    body: options.body === undefined ? null : JSON.stringify(options.body),
    credentials: "same-origin",
  });
  const answer = await readJson(response);
  if (response.ok && answer !== null && typeof answer === "object" && "data" in answer) {
    if (!("success" in answer) || answer.success === true) return schema.parse(answer.data);
  }
  const failure = Failure.partial().safeParse(answer);
  const error = new ApiError(response.status, failure.success ? failure.data : {});
  if (response.status === 401 && error.code !== "wrong_credentials") onUnauthenticated();
  throw error;
}

/** Paths are written without /api: `http.get("/channel", ChannelPage, query)`. */
export const http = {
  get: <T extends z.ZodType>(path: string, schema: T, query?: Query) =>
    request("GET", path, schema, { query }),
  post: <T extends z.ZodType>(path: string, schema: T, body: unknown = {}) =>
    request("POST", path, schema, { body }),
  put: <T extends z.ZodType>(path: string, schema: T, body: unknown = {}) =>
    request("PUT", path, schema, { body }),
  patch: <T extends z.ZodType>(path: string, schema: T, body: unknown = {}) =>
    request("PATCH", path, schema, { body }),
  del: <T extends z.ZodType>(path: string, schema: T) => request("DELETE", path, schema),
};
