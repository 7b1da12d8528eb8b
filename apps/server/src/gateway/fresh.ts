import type { FastifyRequest } from "fastify";

/** `cache-control: no-cache` asks for a new answer, as it does anywhere on the web. */
export function wantsFresh(request: FastifyRequest): boolean {
  return /\bno-(cache|store)\b/i.test(request.headers["cache-control"] ?? "");
}
