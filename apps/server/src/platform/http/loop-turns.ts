/**
 * Large responses share the turns of the event loop: one turn may read megabytes of each of them. What exceeds the bytes
 * of a turn waits for the next, and all other work is done in between.
 */

/** Bytes of all large responses that are read in one turn. To read and translate them takes some milliseconds. */
const BYTES_PER_TURN = 256 * 1024;

interface LargeResponse {
  /** Called in the turn in which it may go on. */
  beginTurn(): void;
}

let left = BYTES_PER_TURN;
let isScheduled = false;
/** Those that wait for a turn, the longest first. */
const waiting: LargeResponse[] = [];

/** Counts bytes of a response. Returns whether it may go on in this turn; if not, it must pause until its next. */
export function takeFromTurn(bytes: number, response: LargeResponse): boolean {
  left -= bytes;
  if (!isScheduled) schedule();
  if (left > 0) return true;
  waiting.push(response);
  return false;
}

function schedule(): void {
  isScheduled = true;
  setImmediate(beginTurn);
}

function beginTurn(): void {
  isScheduled = false;
  left = BYTES_PER_TURN;
  const hasBytes = () => left > 0;
  // Those that must wait again are behind the others.
  for (let count = waiting.length; count > 0 && hasBytes(); count -= 1) waiting.shift()?.beginTurn();
  if (waiting.length > 0 && !isScheduled) schedule();
}
