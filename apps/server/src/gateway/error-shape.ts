import type { ClientDialect } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { GatewayError } from "#errors.ts";

/** Format of errors outside of routes: malformed requests, unknown paths, wrong methods. */

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

/** First match wins. Not anchored, because a base path may precede. */
const shapes: readonly (readonly [RegExp, ErrorShape])[] = [
  [/\/openai(?:\/|$)/, dialects["openai-chat"]],
  [/\/claude(?:\/|$)|\/v1\/messages(?:[/?]|$)/, dialects.anthropic],
  [/\/gemini(?:\/|$)|\/v1beta(?:\/|$)|\/v1\/models\/[^?]+:\w/, dialects.gemini],
  [/\/(?:suno|kling)(?:\/|$)/, taskErrors],
  [/\/mj(?:-\w+)?(?:\/|$)/, midjourneyErrors],
  [/\/v1(?:\/|$)|\/dashboard(?:\/|$)|\/recraftAI(?:\/|$)/, dialects["openai-chat"]],
];

/** Returns the error format of a path; undefined for paths outside the gateway. `url` may be malformed. */
export function shapeOf(url: string): ErrorShape | undefined {
  const [path = ""] = url.split("?");
  if (/\/api(?:\/|$)/.test(path)) return undefined;
  return shapes.find(([pattern]) => pattern.test(path))?.[1];
}
