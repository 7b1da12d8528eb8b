/**
 * Headers of responses. The gateway shares its origin with the console, so nothing from a provider may run in
 * a browser there. Provider headers pass an allow-list, and ours are set last.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";

/** Headers of every response of the gateway. */
export const securityHeaders: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
};

/** Allowed headers: the provider's, and those that the relay adds. */
const allowed =
  /^(?:content-(?:type|length|encoding|range|language)|accept-ranges|etag|last-modified|retry-after|openai-(?:processing-ms|version|model)|anthropic-[\w-]+|x-upstream-request-id|x-gateway-[\w-]+|x-ratelimit-[\w-]+)$/;

const mediaType = /^[\w.+-]+\/[\w.+-]+(?:\s*;\s*[\w-]+=(?:"[^"\\]*"|[\w.+-]+))*$/;
/**
 * Types that browsers display without running anything. All others are downloads: browsers treat every type
 * with xml, svg or html in its name as a page.
 */
const inert =
  /^(?:application\/(?:json|problem\+json|x-ndjson|jsonl|x-jsonl)|text\/event-stream|(?:audio|video|image)\/(?!\S*(?:xml|svg|html))[\w.+-]+)(?:\s*;|$)/;

/** Whether a browser that opens a response of this type runs nothing in it. */
export function isInert(type: string): boolean {
  const given = type.trim().toLowerCase();
  return mediaType.test(given) && inert.test(given);
}

const filename = /;\s*filename="?([\w .()-]{1,200})"?\s*(?:;|$)/i;

/** Returns the provider's headers that clients may see, with names in lower case. */
export function allowedHeaders(provider: Readonly<Record<string, string>>): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name in provider) {
    const lower = name.toLowerCase();
    if (allowed.test(lower)) headers[lower] = provider[name] ?? "";
  }
  return headers;
}

/** Returns the headers for the client. `own` are the gateway's and override the provider's. */
export function answerHeaders(
  provider: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const headers = allowedHeaders(provider);
  const given = (headers["content-type"] ?? "").trim().toLowerCase();
  if (!mediaType.test(given)) headers["content-type"] = "application/octet-stream";
  if (!isInert(given)) {
    const name = filename.exec(provider["content-disposition"] ?? "")?.[1];
    headers["content-disposition"] = name === undefined ? "attachment" : `attachment; filename="${name}"`;
  }
  return { ...headers, ...own, ...securityHeaders };
}

/** What tracing systems and clients use as ids, and what is safe in a header, a log line and a search. */
const validId = /^[\w.:/+=@-]{1,128}$/;

/**
 * Returns the id that the client gave its request in `x-request-id`; undefined without a valid one. It only names the
 * request for the client: a client may repeat it, so no charge may depend on it.
 */
export function clientRequestIdOf(headers: IncomingHttpHeaders): string | undefined {
  const id = headers["x-request-id"];
  return typeof id === "string" && validId.test(id) ? id : undefined;
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

declare module "fastify" {
  interface FastifyRequest {
    /** Headers of this response: its request id, the caller's limits. */
    head: Record<string, string>;
  }
}

/** Headers of every response. Chat apps in browsers send a key, never a cookie, so any origin may call. */
const everywhere: Readonly<Record<string, string>> = {
  ...securityHeaders,
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "*",
};

/**
 * Collects the headers of each response of the scope that are known before it, and writes them once, with the
 * status, unless the response was hijacked: setting each on the response costs more than all other work on them.
 */
export function collectHeads(app: FastifyInstance): void {
  app.decorateRequest("head");
  app.addHook("onRequest", (request, _reply, done) => {
    request.head = requestIdHeaders(request);
    done();
  });
  app.addHook("onSend", (request, reply, payload, done) => {
    for (const headers of [everywhere, request.head])
      for (const name in headers) if (!reply.hasHeader(name)) void reply.header(name, headers[name]);
    done(null, payload);
  });
}

/** Returns all headers of a hijacked response, as names and values in turn. `given` override the others. */
export function wholeHead({ head }: FastifyRequest, given: Readonly<Record<string, string>>): string[] {
  const list: string[] = [];
  for (const name in given) list.push(name, given[name] ?? "");
  for (const name in head) if (given[name] === undefined) list.push(name, head[name] ?? "");
  for (const name in everywhere) if (given[name] === undefined) list.push(name, everywhere[name] ?? "");
  return list;
}
