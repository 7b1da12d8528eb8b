import type { FastifyReply } from "fastify";
import { type CancelSignal, createCancellation } from "#platform/cancellation.ts";

/**
 * A signal that aborts when the client leaves before its answer is whole. The request's own signal will not do: it
 * follows the request body, which ends as soon as it was read.
 */
export function leavingSignal(reply: FastifyReply): CancelSignal {
  const cancellation = createCancellation();
  // It may have left while its key was looked up: then there is no event to wait for.
  if (reply.raw.closed && !reply.raw.writableFinished) cancellation.cancel();
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished) cancellation.cancel();
  });
  return cancellation;
}
