import type { FastifyRequest } from "fastify";

/** What a request for a WebSocket has from its check until its upgrade. */
export interface UntilUpgrade<Kept> {
  keep(request: FastifyRequest, kept: Kept): void;
  /** Returns what the request has, for the socket that was opened; undefined if its client left before. */
  take(request: FastifyRequest): Kept | undefined;
}

/** @param giveUp called when the client leaves before the upgrade: then no handler is called that could give it up */
export function keepUntilUpgrade<Kept>(giveUp: (kept: Kept) => void): UntilUpgrade<Kept> {
  const waiting = new WeakMap<FastifyRequest, Kept>();
  const take = (request: FastifyRequest) => {
    const kept = waiting.get(request);
    waiting.delete(request);
    return kept;
  };
  return {
    keep(request, kept) {
      const { socket } = request.raw;
      const abandon = () => {
        const left = take(request);
        if (left !== undefined) giveUp(left);
      };
      waiting.set(request, kept);
      socket.once("close", abandon);
      if (socket.destroyed) abandon();
    },
    take,
  };
}
