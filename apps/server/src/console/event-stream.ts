import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";

/**
 * A streaming response: server-sent events, with a comment at intervals so that no proxy considers it dead.
 */

const HEARTBEAT_MS = 10_000;

/** Sends events until they end. @param events each is sent as one JSON message */
export function sendEvents(reply: FastifyReply, events: AsyncGenerator<unknown>): FastifyReply {
  return reply
    .header("content-type", "text/event-stream; charset=utf-8")
    .header("cache-control", "no-store")
    .header("x-accel-buffering", "no")
    .send(Readable.from(withHeartbeat(events)));
}

async function* withHeartbeat(events: AsyncGenerator<unknown>): AsyncGenerator<string> {
  let next = events.next();
  try {
    // Sends the head of the response before anything happens.
    yield ": open\n\n";
    while (true) {
      const { promise: silence, cancel } = after(HEARTBEAT_MS);
      const first = await Promise.race([next, silence]);
      cancel();
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
