/**
 * A streaming response: server-sent events, with a comment at intervals so that no proxy considers it dead.
 */
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { now } from "#platform/clock.ts";

const HEARTBEAT_MS = 10_000;
/** Interval in which the caller's session and rights are checked again. */
const CHECK_MS = 5_000;

/**
 * Sends events until they end, or until the caller's session ends or the rights change. The console then opens
 * the stream again, which gives the reason.
 * @param events each is sent as one JSON message
 */
export function sendEvents(
  request: Pick<FastifyRequest, "isStillAllowed">,
  reply: FastifyReply,
  events: AsyncGenerator<unknown>,
): FastifyReply {
  return reply
    .header("content-type", "text/event-stream; charset=utf-8")
    .header("cache-control", "no-store")
    .header("x-accel-buffering", "no")
    .send(Readable.from(withHeartbeat(events, request.isStillAllowed)));
}

async function* withHeartbeat(
  events: AsyncGenerator<unknown>,
  isStillAllowed: () => Promise<boolean>,
): AsyncGenerator<string> {
  let next = events.next();
  let checkedAt = now();
  let sentAt = checkedAt;
  try {
    // Sends the head of the response before anything happens.
    yield ": open\n\n";
    while (true) {
      // An event just before the check must not put it off.
      const { promise: silence, cancel } = after(Math.max(0, checkedAt + CHECK_MS - now()));
      const first = await Promise.race([next, silence]);
      cancel();
      if (now() - checkedAt >= CHECK_MS) {
        if (!(await isStillAllowed())) return;
        checkedAt = now();
      }
      if (first === undefined && now() - sentAt < HEARTBEAT_MS) continue;
      sentAt = now();
      if (first === undefined) {
        yield ": still here\n\n";
        continue;
      }
      if (first.done === true) return;
      yield `data: ${JSON.stringify(first.value)}\n\n`;
      next = events.next();
    }
  } finally {
    // The reader has left. The source may still be waiting, so do not wait for it.
    next.catch(() => {});
    void events.return(undefined).catch(() => {});
  }
}

function after(ms: number): { promise: Promise<undefined>; cancel(): void } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms);
  return { promise, cancel: () => clearTimeout(timer) };
}
