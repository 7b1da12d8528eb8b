/**
 * A circuit breaker for one model of one channel. Too large a share of failures within a window requests a
 * test of the channel; a failed test opens the circuit. After a pause, one real call at a time may try; the
 * first success closes the circuit. Pure: the time is passed in.
 */
export interface Circuit {
  /** Start of the newer half of the window, in milliseconds since 1970. */
  since: number;
  /** Calls in the newer half; the `…Before` fields count the older half. */
  failed: number;
  passed: number;
  failedBefore: number;
  passedBefore: number;
  /** Accounts whose calls failed within the window, up to a small maximum. */
  accounts: Set<number>;
  /** Milliseconds since 1970; 0 while closed. After this time, a real call may try. */
  openUntil: number;
  /** Number of consecutive openings. */
  trips: number;
  /** Start time of the current probe call; 0 means none. */
  probeSince: number;
}

export interface CircuitRules {
  /** Percentage of failed calls that opens the circuit. */
  share: number;
  /** First pause in milliseconds. Each consecutive pause is twice as long, up to ten times the first. */
  pauseMs: number;
}

const HALF_WINDOW_MS = 30_000;
/** Minimum number of calls in a window before the share counts. */
const LEAST_CALLS = 8;
const LONGEST_PAUSES = 10;
/** Time after which an unfinished probe call is considered lost. */
const PROBE_MS = 300_000;
const ACCOUNTS_KEPT = 8;

export function createCircuit(at: number): Circuit {
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

/** Returns whether a call may be sent. */
export function admitsCall(circuit: Circuit, at: number): boolean {
  if (circuit.openUntil === 0) return true;
  if (circuit.openUntil > at) return false;
  return circuit.probeSince === 0 || at - circuit.probeSince > PROBE_MS;
}

/** Returns whether the next call is the probe. */
export function isHalfOpen(circuit: Circuit, at: number): boolean {
  return circuit.openUntil !== 0 && circuit.openUntil <= at;
}

/** @returns whether the failures so far require a test of the channel */
export function recordFailure(circuit: Circuit, at: number, account: number, rules: CircuitRules): boolean {
  // Calls that started before the circuit opened are no new evidence; the probe is.
  if (circuit.openUntil !== 0) return isHalfOpen(circuit, at);
  roll(circuit, at);
  circuit.failed += 1;
  if (circuit.accounts.size < ACCOUNTS_KEPT) circuit.accounts.add(account);
  const failed = circuit.failed + circuit.failedBefore;
  const all = failed + circuit.passed + circuit.passedBefore;
  return all >= LEAST_CALLS && failed * 100 >= all * rules.share;
}

/** @returns whether this success closed an open circuit */
export function recordSuccess(circuit: Circuit, at: number): boolean {
  if (circuit.openUntil !== 0) {
    // Calls that started before the circuit opened do not count: only the probe can close it.
    if (!isHalfOpen(circuit, at)) return false;
    closeCircuit(circuit, at);
    return true;
  }
  roll(circuit, at);
  circuit.passed += 1;
  return false;
}

/**
 * Opens the circuit after a test confirmed the failures.
 * @returns whether it was closed before
 */
export function openCircuit(circuit: Circuit, at: number, { pauseMs }: CircuitRules): boolean {
  const wasClosed = circuit.openUntil === 0;
  const { trips } = circuit;
  Object.assign(circuit, createCircuit(at), {
    trips: trips + 1,
    openUntil: at + pauseMs * Math.min(2 ** trips, LONGEST_PAUSES),
  });
  return wasClosed;
}

/** Closes the circuit and resets its counters after a successful test or call. */
export function closeCircuit(circuit: Circuit, at: number): void {
  Object.assign(circuit, createCircuit(at));
}

/** Returns whether the circuit can be dropped: it is closed and its window contains no failures. */
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
