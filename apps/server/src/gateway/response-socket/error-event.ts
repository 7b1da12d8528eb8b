import { lookupTable } from "@gateway/shared/lookup-table";
import { dialects } from "#dialects/index.ts";
import { asRecord } from "#dialects/wire.ts";
import { toGatewayError } from "#gateway/http/to-gateway-error.ts";

/** Codes that clients of this connection handle, by our reasons. */
const codes = lookupTable<string>({
  previous_response_not_found: "previous_response_not_found",
  socket_age: "websocket_connection_limit_reached",
});

/** Encodes the error that would be a response of its own over HTTP as one event. */
export function errorEvent(error: unknown, requestId: string): string {
  const named = toGatewayError(error);
  const { status, body } = dialects["openai-responses"].encodeError(named, requestId);
  const code = codes[String(named.params["reason"])];
  const inner = asRecord(body["error"]) ?? {};
  return JSON.stringify({
    type: "error",
    status,
    error: code === undefined ? inner : { ...inner, code },
    ...(named.retryAfter === undefined
      ? {}
      : { headers: { "retry-after": String(Math.ceil(named.retryAfter)) } }),
  });
}
