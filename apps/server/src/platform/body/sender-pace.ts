/** Limits of how slowly a body may be sent: until it ends, it keeps memory and disk space that others need. */
import type { IncomingMessage } from "node:http";
import { GatewayError } from "#errors.ts";

/** Maximum silence of a sender. */
export const SILENCE_MS = 30_000;
/** Minimum average speed of the sender of JSON, and of a form, in bytes per millisecond: 1 Mbit/s and 128 kbit/s. */
export const SLOWEST = 128;
export const SLOWEST_FORM = 16;

export function tooSlow(): GatewayError {
  return new GatewayError("request_timeout", { reason: "body_too_slow" });
}

/**
 * Throws `request_timeout` for a sender that is too slow on average.
 * @param ms how long it has been sending
 * @param slowest bytes per millisecond
 */
export function requireSpeed(size: number, ms: number, slowest: number): void {
  if (ms > SILENCE_MS + size / slowest) throw tooSlow();
}

/**
 * Yields the pieces of a body. Throws `request_timeout` for a sender that is silent or too slow, and `client_disconnected` for
 * one that leaves. The body is not destroyed, because a response follows on its connection.
 */
export async function* piecesInTime(
  body: IncomingMessage,
  slowest: number,
): AsyncGenerator<Buffer, void, undefined> {
  const pieces = body.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
  let size = 0;
  let sendingMs = 0;
  let refuse = (_error: GatewayError) => {};
  const timer = setTimeout(() => refuse(tooSlow()), SILENCE_MS);
  try {
    while (true) {
      timer.refresh();
      const since = performance.now();
      const { done, value } = await new Promise<IteratorResult<Buffer, undefined>>((resolve, reject) => {
        refuse = reject;
        pieces.next().then(resolve, reject);
      });
      if (done === true) return;
      size += value.length;
      sendingMs += performance.now() - since;
      requireSpeed(size, sendingMs, slowest);
      yield value;
    }
  } catch (error) {
    if (error instanceof GatewayError || !body.destroyed || body.complete) throw error;
    // It left, or broke its transfer.
    throw new GatewayError("client_disconnected", { reason: "client_left_body" }, { cause: error });
  } finally {
    clearTimeout(timer);
    // Not awaited: it waits for the next piece, which may never come.
    void pieces.return?.();
  }
}
