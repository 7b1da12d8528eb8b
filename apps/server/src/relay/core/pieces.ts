import type { Pieces } from "./call.ts";

/** Runs a generator up to its first `yield`, whose piece is dropped: from then on `return()` runs its `finally`. */
export async function primed<Piece>(pieces: Pieces<Piece>): Promise<Pieces<Piece>> {
  await pieces.next();
  return pieces;
}

/** The same pieces, changed on the way. Being left is passed on, at any time. */
export function tapped<Piece>(
  pieces: Pieces<Piece>,
  tap: {
    piece(piece: Piece): Piece;
    /** All pieces were taken. */
    whole?(): void;
    /** No further piece will be taken, for whatever reason. Called once. */
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
