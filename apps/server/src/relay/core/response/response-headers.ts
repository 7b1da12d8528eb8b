import type { UpstreamResponse } from "#platform/http/exchange.ts";
import { requestIdIn } from "#relay/core/upstream/call-connection.ts";

/**
 * Returns the headers of the response. Of the provider's headers, only its request id (for its support desk)
 * and those matching `own` are passed on.
 * @param own names of headers that this client expects from its provider
 */
export function selectResponseHeaders(
  upstream: Record<string, string | string[] | undefined>,
  dropped: readonly string[],
  own?: RegExp,
): Record<string, string> {
  const headers: Record<string, string> = {};
  if (own !== undefined)
    for (const name in upstream) {
      const value = upstream[name];
      if (typeof value === "string" && own.test(name)) headers[name] = value;
    }
  const id = requestIdIn(upstream);
  if (id !== undefined) headers["x-upstream-request-id"] = headerText(id);
  if (dropped.length > 0) headers["x-gateway-dropped"] = headerText(dropped.join(", "));
  return headers;
}

/** Returns the headers of a JSON response that passes as bytes. */
export function jsonHeaders({ headers }: Pick<UpstreamResponse, "headers">): Record<string, string> {
  const length = headers["content-length"];
  return {
    "content-type": "application/json; charset=utf-8",
    ...(typeof length === "string" ? { "content-length": length } : {}),
  };
}

/** Characters. */
const MAX_HEADER = 2_000;

/**
 * Makes a text safe for a header. Field names are chosen by the caller and may contain invalid characters.
 */
function headerText(text: string): string {
  return text.slice(0, MAX_HEADER).replaceAll(/[^\x20-\x7e]/g, "?");
}
