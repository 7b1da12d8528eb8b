import type { FastifyReply } from "fastify";

/**
 * A signal that aborts when the client leaves before its answer is whole. The request's own signal will not do: it
 * follows the request body, which ends as soon as it was read.
 */
export function leavingSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
