import type { IncomingHttpHeaders } from "node:http";

/** What tracing systems and clients use as ids, and what is safe in a header, a log line and a search. */
const valid = /^[\w.:/+=@-]{1,128}$/;

/**
 * Returns the id that the client gave its request in `x-request-id`; undefined without a valid one. It only names the
 * request for the client: a client may repeat it, so no charge may depend on it.
 */
export function clientRequestIdOf(headers: IncomingHttpHeaders): string | undefined {
  const id = headers["x-request-id"];
  return typeof id === "string" && valid.test(id) ? id : undefined;
}

/** Returns the headers that name a request in its response: with the client's own id, and with the gateway's. */
export function requestIdHeaders(request: {
  id: string;
  headers: IncomingHttpHeaders;
}): Record<string, string> {
  return {
    "x-request-id": clientRequestIdOf(request.headers) ?? request.id,
    // Tools for other gateways of this kind use this name.
    "x-oneapi-request-id": request.id,
  };
}
