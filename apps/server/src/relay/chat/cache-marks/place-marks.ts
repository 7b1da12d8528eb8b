/**
 * Decides after which pieces of a prompt a mark is placed. A mark makes a provider write everything before it to its
 * cache, which costs more than input, and read the longest beginning that it has, which costs a tenth. So a mark pays
 * only where the next call of the session begins the same. That is learned from the difference of the last two calls.
 */
import type { KnownPrompt } from "#domain/channels/selection/known-prompts.ts";
import { FIXED_PIECES, type PromptPieces } from "./prompt-pieces.ts";

export interface PlacedMarks {
  /** Numbers of pieces after which a mark belongs, in ascending order. */
  readonly marks: readonly number[];
  /** What is known once the call was sent. */
  readonly known: KnownPrompt;
}

interface Placement {
  readonly now: number;
  readonly target: string;
  /** Minimum size of a cached beginning. */
  readonly minSize: number;
  /** A first call of an agent is marked: a session of one call is rare. */
  readonly isAgent: boolean;
}

/** How long a provider keeps a beginning that no call reads. */
const TTL_MS = 5 * 60_000;
/** After this many wasted writes in a row the session gets no marks, until its calls come fast enough again. */
const MOST_WASTED = 3;
/** Pieces remembered of a long conversation. An earlier change counts as one at its first message. */
const MOST_REMEMBERED = 256;

/** Places the marks of a call. Pure. @param before what is known of the session; undefined for its first call */
export function placeMarks(
  pieces: PromptPieces,
  before: KnownPrompt | undefined,
  { now, target, minSize, isAgent }: Placement,
): PlacedMarks {
  const { checksums, sizes } = pieces;
  const length = checksums.length;
  const common = before === undefined ? 0 : commonPieces(checksums, before);
  const stable = before === undefined ? (isAgent ? length : 0) : stablePieces(length, common, before);
  const isKept = before !== undefined && before.target === target && now - before.at <= TTL_MS;
  const wasted = before === undefined ? 0 : wastedWrites(before, common, isKept, target);
  const known: KnownPrompt = {
    fixed: checksums.slice(0, FIXED_PIECES),
    newest: checksums.slice(FIXED_PIECES).slice(-MOST_REMEMBERED),
    length,
    marked: stable,
    ...(before !== undefined && { common, tail: before.length - common }),
    wasted,
    target,
    at: now,
  };
  if (wasted >= MOST_WASTED) return { marks: [], known };
  // The second mark reads what the last call wrote: a provider looks back from a mark over a few blocks only.
  const read = before === undefined ? 0 : Math.min(before.marked, common);
  const fixed = Math.min(FIXED_PIECES, stable);
  const marks = [...new Set([fixed, read, stable])].filter(
    (end) => end > 0 && end <= stable && (sizes[end - 1] ?? 0) >= minSize,
  );
  return { marks: marks.toSorted((a, b) => a - b), known };
}

/** Returns how many pieces from the beginning are those of the last call. */
function commonPieces(checksums: readonly number[], { fixed, newest, length }: KnownPrompt): number {
  const first = length - newest.length;
  for (let at = Math.min(checksums.length, length) - 1; at >= first; at -= 1)
    if (checksums[at] === newest[at - first]) return at + 1;
  for (let at = Math.min(fixed.length, checksums.length) - 1; at >= 0; at -= 1)
    if (checksums[at] === fixed[at]) return at + 1;
  return 0;
}

/** Returns how many pieces of this call the next one will probably have, too. */
function stablePieces(length: number, common: number, before: KnownPrompt): number {
  const tail = before.length - common;
  // A conversation that is only continued, also if it was shortened once.
  if (tail === 0 || before.tail === 0) return length;
  const isAtSamePlace = before.tail === undefined ? common <= FIXED_PIECES : common === before.common;
  if (isAtSamePlace) return common;
  return Math.max(common, length - Math.min(tail, before.tail ?? tail));
}

function wastedWrites(before: KnownPrompt, common: number, isKept: boolean, target: string): number {
  const { wasted, marked } = before;
  // On another account nothing could be read, whatever was written.
  if (marked === 0 || before.target !== target) return wasted;
  const isRead = isKept && common >= marked;
  if (!isRead) return Math.min(MOST_WASTED, wasted + 1);
  return wasted >= MOST_WASTED ? wasted - 1 : 0;
}
