/**
 * A circuit breaker for one model of one channel. Too large a share of failures within a window asks for a test of the
 * channel; the test opens it. After a pause one real call at a time may try, and the first that succeeds closes it.
 * Pure: the time is passed in.
 */
export interface Circuit {
  /** Milliseconds since 1970 when the newer half of the window began. */
  since: number;
  /** Calls of the newer half, and of the half before it. */
  failed: number;
  passed: number;
  failedBefore: number;
  passedBefore: number;
  /** Accounts whose calls failed within the window; a few are enough. */
  accounts: Set<number>;
  /** Milliseconds since 1970; 0 while it is closed. Past it, a real call may try. */
  openUntil: number;
  /** How often in a row it has opened. */
  trips: number;
  /** When the real call that tries began; 0 = none. */
  probeSince: number;
}

export interface CircuitRules {
  /** Failed calls of a hundred that open it. */
  share: number;
  /** Milliseconds of the first pause; each further one in a row is twice as long, up to ten times the first. */
  pauseMs: number;
}

const HALF_WINDOW_MS = 30_000;
/** Fewer calls prove nothing. */
const LEAST_CALLS = 8;
const LONGEST_PAUSES = 10;
/** A call that tries and has not ended by then will not. */
const PROBE_MS = 300_000;
const ACCOUNTS_KEPT = 8;

export function newCircuit(at: number): Circuit {
  return {
    since: at,
    failed: 0,
    passed: 0,
    failedBefore: 0,
    passedBefore: 0,
    accounts: new Set(),
    openUntil: 0,
    trips: 0,
    probeSince: 0,
  };
}

/** Whether a call may go out. */
export function admits(circuit: Circuit, at: number): boolean {
  if (circuit.openUntil === 0) return true;
  if (circuit.openUntil > at) return false;
  return circuit.probeSince === 0 || at - circuit.probeSince > PROBE_MS;
}

/** Whether the next call is the one that tries. */
export function isHalfOpen(circuit: Circuit, at: number): boolean {
  return circuit.openUntil !== 0 && circuit.openUntil <= at;
}

/** @returns whether the failures so far ask for a test of the channel */
export function noteFailure(circuit: Circuit, at: number, account: number, rules: CircuitRules): boolean {
  // Calls that began before it opened say nothing new; the one that tries does.
  if (circuit.openUntil !== 0) return isHalfOpen(circuit, at);
  roll(circuit, at);
  circuit.failed += 1;
  if (circuit.accounts.size < ACCOUNTS_KEPT) circuit.accounts.add(account);
  const failed = circuit.failed + circuit.failedBefore;
  const all = failed + circuit.passed + circuit.passedBefore;
  return all >= LEAST_CALLS && failed * 100 >= all * rules.share;
}

/** @returns whether this answer closed an open circuit */
export function notePass(circuit: Circuit, at: number): boolean {
  if (circuit.openUntil !== 0) {
    // Calls that began before it opened say nothing: only the one that tries can close it.
    if (!isHalfOpen(circuit, at)) return false;
    closeCircuit(circuit, at);
    return true;
  }
  roll(circuit, at);
  circuit.passed += 1;
  return false;
}

/** A test confirmed the failures. @returns whether it was closed before */
export function openCircuit(circuit: Circuit, at: number, { pauseMs }: CircuitRules): boolean {
  const wasClosed = circuit.openUntil === 0;
  const { trips } = circuit;
  Object.assign(circuit, newCircuit(at), {
    trips: trips + 1,
    openUntil: at + pauseMs * Math.min(2 ** trips, LONGEST_PAUSES),
  });
  return wasClosed;
}

/** A test or a call succeeded: what was counted against the channel is forgotten. */
export function closeCircuit(circuit: Circuit, at: number): void {
  Object.assign(circuit, newCircuit(at));
}

/** A closed circuit whose window holds no failure says nothing: it can go. */
export function isForgotten(circuit: Circuit, at: number): boolean {
  if (circuit.openUntil !== 0) return false;
  roll(circuit, at);
  return circuit.failed + circuit.failedBefore === 0;
}

function roll(circuit: Circuit, at: number): void {
  const passed = at - circuit.since;
  if (passed < HALF_WINDOW_MS) return;
  const kept = passed < 2 * HALF_WINDOW_MS;
  circuit.failedBefore = kept ? circuit.failed : 0;
  circuit.passedBefore = kept ? circuit.passed : 0;
  circuit.failed = 0;
  circuit.passed = 0;
  if (circuit.failedBefore === 0) circuit.accounts.clear();
  circuit.since = at;
}
