/** The server limits the time of every request. What may take longer lifts the limit while it is received. */
import type { Server } from "node:http";

interface Lifted {
  limit: number;
  /** Bodies that are being received. */
  bodies: number;
}

const lifted = new WeakMap<Server, Lifted>();

/**
 * Yields the pieces of a body without the time limit of the server, which is the same for all its requests. Its sender
 * must have a limit of its own. Only bodies of senders that the operator trusts may be received like this.
 */
export async function* withoutTimeLimit<Piece>(
  server: Server,
  pieces: AsyncIterable<Piece>,
): AsyncGenerator<Piece, void, undefined> {
  const state = lifted.get(server) ?? { limit: server.requestTimeout, bodies: 0 };
  lifted.set(server, state);
  state.bodies += 1;
  server.requestTimeout = 0;
  try {
    yield* pieces;
  } finally {
    state.bodies -= 1;
    if (state.bodies === 0) server.requestTimeout = state.limit;
  }
}
