import type { Pieces } from "#relay/core/call.ts";

/**
 * Runs a generator up to its first `yield`, and drops that piece. From then on `return()` runs its `finally`.
 */
export async function startPieces<Piece>(pieces: Pieces<Piece>): Promise<Pieces<Piece>> {
  await pieces.next();
  return pieces;
}

/** Returns the pieces mapped by `tap`. Forwards `return()` and `throw()` at any time. */
export function tapPieces<Piece>(
  pieces: Pieces<Piece>,
  tap: {
    piece(piece: Piece): Piece;
    /** Called when all pieces were taken. */
    whole?(): void;
    /** Called once when no further piece will be taken, for any reason. */
    ended?(): void;
  },
): Pieces<Piece> {
  let over = false;
  const end = () => {
    if (over) return;
    over = true;
    tap.ended?.();
  };
  const generator: Pieces<Piece> = {
    async next() {
      try {
        const next = await pieces.next();
        if (next.done !== true) return { done: false, value: tap.piece(next.value) };
        if (!over) tap.whole?.();
        end();
        return next;
      } catch (error) {
        end();
        await pieces.return();
        throw error;
      }
    },
    async return() {
      try {
        return await pieces.return();
      } finally {
        end();
      }
    },
    async throw(error: unknown) {
      await generator.return();
      throw error;
    },
    [Symbol.asyncIterator]: () => generator,
    async [Symbol.asyncDispose]() {
      await generator.return();
    },
  };
  return generator;
}
