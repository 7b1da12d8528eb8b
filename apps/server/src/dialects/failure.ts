/** Helpers for the errors of all dialects: HTTP status and retry delay. */
import type { GatewayError } from "#errors.ts";
import type { ChatEvent, UpstreamError } from "./ir.ts";

export type Headers = Record<string, string | string[] | undefined>;

export function kindOfStatus(status: number): UpstreamError["kind"] {
  switch (status) {
    case 401:
    case 403:
      return "auth";
    case 402:
      return "quota";
    case 404:
      return "not-found";
    case 408:
    case 504:
    case 524:
      return "timeout";
    case 429:
      return "rate-limited";
    case 503:
    case 529:
      return "overloaded";
    default:
      return status >= 400 && status < 500 ? "bad-request" : "server";
  }
}

function header(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/**
 * Returns the message with the field's path in front, unless it already names the field. For dialects without
 * a separate field for the path.
 */
export function messageWithPath({ message, param, params }: GatewayError): string {
  return param === undefined || params["field"] === param ? message : `${param}: ${message}`;
}

/** Returns the params of one of our errors, beside its code; omitted when empty. */
export function paramsOf(params: GatewayError["params"]): { params?: GatewayError["params"] } {
  return Object.keys(params).length === 0 ? {} : { params };
}

/** Returns the delay that the provider requests, in seconds, at most a day. */
export function retryAfterOf(headers: Headers): number | undefined {
  const milliseconds = Number(header(headers, "retry-after-ms") ?? Number.NaN);
  const plain = header(headers, "retry-after");
  let seconds = milliseconds / 1000;
  if (Number.isNaN(seconds) && plain !== undefined) {
    seconds = Number(plain);
    if (Number.isNaN(seconds)) seconds = (Date.parse(plain) - Date.now()) / 1000;
  }
  if (!Number.isFinite(seconds) || seconds < 0) return undefined;
  return Math.min(Math.ceil(seconds), 86_400);
}

/** Returns a provider's message, or a default; never an HTML page. */
export function messageOf(text: unknown, status: number): string {
  if (typeof text === "string" && text.trim() !== "" && !text.trimStart().startsWith("<")) {
    return text.slice(0, 2000);
  }
  return status === 0 ? "The provider reported an error." : `The provider returned status ${status}.`;
}

/** Returns the error for a stream that stopped before its end marker. */
export function truncatedStreamEvent(): ChatEvent {
  return {
    type: "error",
    error: { kind: "network", message: "The upstream ended its answer early.", status: 0 },
  };
}
