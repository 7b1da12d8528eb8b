import type { ClientDialect } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { GatewayError } from "#errors.ts";

/** How errors look where no route decides it: malformed requests, unknown addresses, other methods. */

export type ErrorShape = Pick<ClientDialect, "encodeError">;

/** What went wrong, as clients of the task wires read it. */
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

/** As clients of midjourney-proxy read it: 30 is about money and rates, 4 about the request. */
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

/** First match wins. Below any base path, hence not anchored. */
const shapes: readonly (readonly [RegExp, ErrorShape])[] = [
  [/\/openai(?:\/|$)/, dialects["openai-chat"]],
  [/\/claude(?:\/|$)|\/v1\/messages(?:[/?]|$)/, dialects.anthropic],
  [/\/gemini(?:\/|$)|\/v1beta(?:\/|$)|\/v1\/models\/[^/?]+:\w/, dialects.gemini],
  [/\/(?:suno|kling)(?:\/|$)/, taskErrors],
  [/\/mj(?:-\w+)?(?:\/|$)/, midjourneyErrors],
  [/\/v1(?:\/|$)|\/dashboard(?:\/|$)|\/recraftAI(?:\/|$)/, dialects["openai-chat"]],
];

/** Undefined for an address that is none of the gateway's. `url` may be broken in any way. */
export function shapeOf(url: string): ErrorShape | undefined {
  const [path = ""] = url.split("?");
  if (/\/api(?:\/|$)/.test(path)) return undefined;
  return shapes.find(([pattern]) => pattern.test(path))?.[1];
}
