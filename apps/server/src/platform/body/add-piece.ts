/** Pieces that are joined at once, if they are small together. */
const JOINED = 64;
const SMALL_BYTES = 64 * 1024;

/**
 * Adds a piece of a body that is kept in memory. A sender may send single bytes, whose buffers take a hundred
 * times as much memory as they contain, so small pieces are joined.
 */
export function addPiece(pieces: Buffer[], piece: Buffer): void {
  pieces.push(piece);
  if (pieces.length % JOINED !== 0) return;
  const last = pieces.slice(-JOINED);
  const bytes = last.reduce((sum, each) => sum + each.length, 0);
  if (bytes <= SMALL_BYTES) pieces.splice(-JOINED, JOINED, Buffer.concat(last, bytes));
}
