/** Error formats of each provider. */
import type { Json } from "./answer/json.ts";

export type Provider = "openai" | "anthropic" | "gemini";

export interface Fault {
  status: number;
  message?: string;
  param?: string;
  /** Seconds. */
  retryAfter?: number;
  /** The account has no credit. Each provider has its own status and message for it. */
  noCredit?: boolean;
}

export interface Refusal {
  status: number;
  headers: Record<string, string>;
  body: Json;
}

export function refusal(provider: Provider, fault: Fault, requestId: string): Refusal {
  const headers: Record<string, string> = { [requestIdHeader[provider]]: requestId };
  if (fault.retryAfter !== undefined) headers["retry-after"] = String(fault.retryAfter);
  return { ...spellings[provider](fault, requestId), headers };
}

export const requestIdHeader: Record<Provider, string> = {
  openai: "x-request-id",
  anthropic: "request-id",
  gemini: "x-goog-request-id",
};

type Spelling = (fault: Fault, requestId: string) => { status: number; body: Json };

const spellings: Record<Provider, Spelling> = { openai, anthropic, gemini };

const plainMessages: Record<number, string> = {
  400: "The request is not valid.",
  401: "The API key is not valid.",
  403: "The API key may not do this.",
  404: "There is no such thing here.",
  429: "Too many requests. Slow down.",
  500: "The server had an error while processing your request. Sorry about that!",
  503: "The engine is currently overloaded. Please try again later.",
  529: "Overloaded",
};

function messageOf(fault: Fault): string {
  return (
    fault.message ?? plainMessages[fault.status] ?? `The demo upstream was set to status ${fault.status}.`
  );
}

function openai(fault: Fault): { status: number; body: Json } {
  const error = (type: string, code: string | null, message = messageOf(fault)) => ({
    error: { message, type, param: fault.param ?? null, code },
  });
  if (fault.noCredit === true) {
    const message = "You exceeded your current quota, please check your plan and billing details.";
    return { status: 429, body: error("insufficient_quota", "insufficient_quota", message) };
  }
  const { status } = fault;
  if (status === 401) return { status, body: error("invalid_request_error", "invalid_api_key") };
  if (status === 404) return { status, body: error("invalid_request_error", "model_not_found") };
  if (status === 429) return { status, body: error("requests", "rate_limit_exceeded") };
  if (status >= 500) return { status, body: error("server_error", null) };
  return { status, body: error("invalid_request_error", null) };
}

const anthropicTypes: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

function anthropic(fault: Fault, requestId: string): { status: number; body: Json } {
  const error = (status: number, message: string) => {
    const type = anthropicTypes[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
    return { status, body: { type: "error", error: { type, message }, request_id: requestId } };
  };
  if (fault.noCredit === true) {
    return error(400, "Your credit balance is too low to access the Anthropic API.");
  }
  return error(fault.status, messageOf(fault));
}

const geminiStatuses: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

function gemini(fault: Fault): { status: number; body: Json } {
  const dry = fault.noCredit === true;
  const code = dry ? 429 : fault.status;
  const message = dry
    ? "You exceeded your current quota, please check your plan and billing details."
    : messageOf(fault);
  const error: Json = {
    code,
    message,
    status: geminiStatuses[code] ?? (code < 500 ? "INVALID_ARGUMENT" : "INTERNAL"),
  };
  if (fault.retryAfter !== undefined) {
    const retryDelay = `${fault.retryAfter}s`;
    error["details"] = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay }];
  }
  return { status: code, body: { error } };
}
