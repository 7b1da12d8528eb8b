import type { FastifyReply } from "fastify";
import { type CancelSignal, createCancellation } from "#platform/cancellation.ts";

/**
 * Returns a signal that aborts when the client leaves before its response is complete. The request's own
 * signal is unsuitable: it follows the request body, which ends as soon as it is read.
 */
export function leavingSignal(reply: FastifyReply): CancelSignal {
  const cancellation = createCancellation();
  // The client may have left during the key lookup; then no further event is emitted.
  if (reply.raw.closed && !reply.raw.writableFinished) cancellation.cancel();
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished) cancellation.cancel();
  });
  return cancellation;
}
