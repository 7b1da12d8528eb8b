import type { FastifyInstance, FastifyRequest } from "fastify";
import { securityHeaders } from "./answer-headers.ts";

/**
 * Headers of the gateway's responses that are known before the response. They are collected per request and
 * written once, with the status: setting each on the response costs more than all other work on them.
 */

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

/** Collects the headers of each response of the scope, and writes them unless the response was hijacked. */
export function collectHeads(app: FastifyInstance): void {
  app.decorateRequest("head");
  app.addHook("onRequest", (request, _reply, done) => {
    // The second is the header name that tools for other gateways of this kind use.
    request.head = { "x-request-id": request.id, "x-oneapi-request-id": request.id };
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
