/**
 * A streaming response: server-sent events, with a comment at intervals so that no proxy considers it dead.
 */
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { GatewayError } from "#errors.ts";
import { now } from "#platform/clock.ts";
import { networkOf } from "#platform/http/network-of.ts";

const HEARTBEAT_MS = 10_000;
/** Interval in which the caller's session and rights are checked again. */
const CHECK_MS = 5_000;
/** Open streams of one account, or of the guests of one address, on this node. Each is checked again and again. */
const MOST_OF_ONE = 32;
const RETRY_SECONDS = 10;

const openOf = new Map<string, number>();

/**
 * Sends events until they end, or until the caller's session ends or the rights change. The console then opens
 * the stream again, which gives the reason. Throws `rate_limit_exceeded` for too many streams.
 * @param events each is sent as one JSON message
 */
export function sendEvents(
  request: Pick<FastifyRequest, "isStillAllowed" | "viewer" | "ip">,
  reply: FastifyReply,
  events: AsyncGenerator<unknown>,
): FastifyReply {
  const { viewer, ip } = request;
  const leave = enter(viewer === null ? networkOf(ip) : String(viewer.id));
  const body = Readable.from(withHeartbeat(events, request.isStillAllowed));
  body.once("close", leave);
  return reply
    .header("content-type", "text/event-stream; charset=utf-8")
    .header("x-accel-buffering", "no")
    .send(body);
}

/** Counts a stream. Returns a function that ends it. */
function enter(reader: string): () => void {
  const open = openOf.get(reader) ?? 0;
  if (open >= MOST_OF_ONE)
    throw new GatewayError(
      "rate_limit_exceeded",
      { reason: "too_many_of_account" },
      { retryAfter: RETRY_SECONDS },
    );
  openOf.set(reader, open + 1);
  return () => {
    const left = (openOf.get(reader) ?? 1) - 1;
    if (left === 0) openOf.delete(reader);
    else openOf.set(reader, left);
  };
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
