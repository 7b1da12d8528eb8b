import type { FastifyReply } from "fastify";

/**
 * A signal that aborts when the client leaves before its answer is whole. The request's own signal will not do: it
 * follows the request body, which ends as soon as it was read.
 */
export function leavingSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  // It may have left while its key was looked up: then there is no event to wait for.
  if (reply.raw.closed && !reply.raw.writableFinished) controller.abort();
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
