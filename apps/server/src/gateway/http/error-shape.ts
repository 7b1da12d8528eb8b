/** Format of errors outside of routes: malformed requests, unknown paths, wrong methods. */
import type { ClientDialect } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { GatewayError } from "#errors.ts";

export type ErrorShape = Pick<ClientDialect, "encodeError">;

/** Errors for clients of the task wires. */
export const taskErrors: ErrorShape = {
  encodeError: (error: GatewayError, requestId: string) => ({
    status: error.status,
    body: {
      code: error.code === "not_found" ? "task_not_exist" : error.code,
      message: `${error.message} (request id: ${requestId})`,
      data: null,
    },
  }),
};

/** Errors for clients of midjourney-proxy: code 30 for money and rates, 4 for the request. */
export const midjourneyErrors: ErrorShape = {
  encodeError: (error: GatewayError, requestId: string) => ({
    status: error.status,
    body: {
      code: error.status === 429 || error.status === 402 ? 30 : 4,
      description: `${error.message} (request id: ${requestId})`,
      type: error.code.startsWith("upstream") ? "upstream_error" : "internal_error",
      result: "",
    },
  }),
};

/** Errors for clients of the Model Context Protocol, as JSON-RPC errors outside of any request. */
export const mcpErrors: ErrorShape = {
  encodeError: (error: GatewayError, requestId: string) => ({
    status: error.status,
    body: {
      jsonrpc: "2.0",
      error: {
        code: rpcCodeOf(error),
        message: `${error.message} (request id: ${requestId})`,
        data: { code: error.code },
      },
      id: null,
    },
  }),
};

/** Returns the JSON-RPC code of an error: those of JSON-RPC and MCP where one fits, else that of a server error. */
export function rpcCodeOf({ status, params }: GatewayError): number {
  if (params["reason"] === "mcp_session_unknown") return -32_001;
  if (params["reason"] === "mcp_tool_unknown") return -32_602;
  return status === 400 ? -32_600 : -32_000;
}

/** First match wins. Not anchored, because a base path may precede. */
const shapes: readonly (readonly [RegExp, ErrorShape])[] = [
  [/\/openai(?:\/|$)/, dialects["openai-chat"]],
  [/\/claude(?:\/|$)|\/v1\/messages(?:[/?]|$)/, dialects.anthropic],
  [
    /\/gemini(?:\/|$)|\/upload\/v1|\/v1(?:alpha|beta)1?(?:\/|$)|\/v1\/(?:models\/[^?]+:\w|interactions(?:\/|$))/,
    dialects.gemini,
  ],
  [/\/(?:suno|kling)(?:\/|$)/, taskErrors],
  [/\/mj(?:-\w+)?(?:\/|$)/, midjourneyErrors],
  [/\/v1(?:\/|$)|\/dashboard(?:\/|$)|\/recraftAI(?:\/|$)/, dialects["openai-chat"]],
  [/\/mcp(?:\/|$)/, mcpErrors],
];

/** Paths that clients of several dialects use. */
const shared = /\/v1\/(?:models|files|skills)(?:[/?]|$)/;

/**
 * Returns the error format for a request to a path that no dialect has for itself: `usual`, unless the client sends
 * what only Anthropic's or Google's clients send.
 */
export function shapeFor(
  { url, headers }: { url: string; headers: Readonly<Record<string, unknown>> },
  usual: ErrorShape,
): ErrorShape {
  if (usual !== dialects["openai-chat"] || /\/openai(?:\/|$)/.test(url)) return usual;
  if (headers["anthropic-version"] !== undefined) return dialects.anthropic;
  return headers["x-goog-api-key"] === undefined ? usual : dialects.gemini;
}

/** Returns the error format of a served path that clients of several dialects may use. */
export function sharedShape(request: Parameters<typeof shapeFor>[0], usual: ErrorShape): ErrorShape {
  return shared.test(request.url) ? shapeFor(request, usual) : usual;
}

/** Returns the error format of a path; undefined for paths outside the gateway. `url` may be malformed. */
export function shapeOf(url: string): ErrorShape | undefined {
  const [path = ""] = url.split("?");
  if (/\/api(?:\/|$)/.test(path)) return undefined;
  return shapes.find(([pattern]) => pattern.test(path))?.[1];
}
