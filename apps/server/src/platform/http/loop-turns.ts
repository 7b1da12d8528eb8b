/**
 * Large responses share the turns of the event loop: in one turn, a limited number of their bytes is read and translated.
 * What exceeds it waits for the next turn, and all other work is done in between.
 */

/** Bytes of all large responses in one turn. To read and translate them takes some milliseconds. */
const BYTES_PER_TURN = 256 * 1024;

interface LargeResponse {
  /** Called in the turn in which it may go on. What it reads at once counts in this turn. */
  beginTurn(): void;
}

let left = BYTES_PER_TURN;
let isScheduled = false;
/** Those that wait for a turn, the longest first. */
const waiting: LargeResponse[] = [];

/** Returns whether a response may go on in this turn. If not, it must wait until `beginTurn` is called. */
export function mayUseTurn(response: LargeResponse): boolean {
  if (left > 0) return true;
  waiting.push(response);
  return false;
}

/** Counts bytes of a large response that are read in this turn. */
export function takeFromTurn(bytes: number): void {
  left -= bytes;
  schedule();
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(beginTurn);
}

function beginTurn(): void {
  isScheduled = false;
  left = BYTES_PER_TURN;
  const hasBytes = () => left > 0;
  // Those that must wait again are behind the others.
  for (let count = waiting.length; count > 0 && hasBytes(); count -= 1) waiting.shift()?.beginTurn();
  if (waiting.length > 0) schedule();
}
