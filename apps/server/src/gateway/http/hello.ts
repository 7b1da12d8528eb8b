import type { FastifyInstance } from "fastify";

/**
 * The address at which Claude Code checks at its start, without a key, whether its host can be reached. It sends HEAD; Fastify
 * adds that to each GET.
 */
export function helloRoutes(app: FastifyInstance): void {
  for (const url of ["/api/hello", "/claude/api/hello"])
    app.get(url, (_request, reply) => reply.header("cache-control", "no-store").send({ message: "hello" }));
}
