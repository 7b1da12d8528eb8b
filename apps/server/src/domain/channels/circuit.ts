/**
 * A circuit breaker for one model of one channel: too large a share of failures within a window opens it, after a
 * while one real call at a time may try, and the first that goes well closes it. Pure: the time is handed in.
 */
export interface Circuit {
  /** Milliseconds since 1970 when the newer half of the window began. */
  since: number;
  /** Calls of the newer half, and of the half before it. */
  failed: number;
  passed: number;
  failedBefore: number;
  passedBefore: number;
  /** Milliseconds since 1970; 0 while it is closed. Past it, probes may go out. */
  openUntil: number;
  /** How often in a row it has opened. */
  trips: number;
  /** When the probe that is under way began; 0 = none. */
  probeSince: number;
}

const HALF_WINDOW_MS = 30_000;
/** Fewer calls prove nothing. */
const LEAST_CALLS = 8;
const FAILING_SHARE = 0.5;
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 300_000;
/** A probe that has not reported by then will not. */
const PROBE_MS = 300_000;

export function newCircuit(at: number): Circuit {
  return {
    since: at,
    failed: 0,
    passed: 0,
    failedBefore: 0,
    passedBefore: 0,
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

/** Whether the next call is a probe. */
export function isHalfOpen(circuit: Circuit, at: number): boolean {
  return circuit.openUntil !== 0 && circuit.openUntil <= at;
}

/**
 * @param pauseMs what the vendor asks for; 0 = nothing
 * @returns whether this failure opened a closed circuit
 */
export function noteFailure(circuit: Circuit, at: number, pauseMs: number): boolean {
  if (circuit.openUntil !== 0) {
    // Stragglers from before it opened say nothing new; a probe does.
    if (isHalfOpen(circuit, at)) open(circuit, at, pauseMs);
    return false;
  }
  roll(circuit, at);
  circuit.failed += 1;
  const failed = circuit.failed + circuit.failedBefore;
  const all = failed + circuit.passed + circuit.passedBefore;
  if (all < LEAST_CALLS || failed < all * FAILING_SHARE) return false;
  open(circuit, at, pauseMs);
  return true;
}

/** @returns whether this answer closed an open circuit */
export function notePass(circuit: Circuit, at: number): boolean {
  if (circuit.openUntil !== 0) {
    // The same stragglers, luckier: only a probe can close it.
    if (!isHalfOpen(circuit, at)) return false;
    Object.assign(circuit, newCircuit(at));
    return true;
  }
  roll(circuit, at);
  circuit.passed += 1;
  return false;
}

/** A closed circuit whose window holds no failure says nothing: it can go. */
export function isForgotten(circuit: Circuit, at: number): boolean {
  if (circuit.openUntil !== 0) return false;
  roll(circuit, at);
  return circuit.failed + circuit.failedBefore === 0;
}

function open(circuit: Circuit, at: number, pauseMs: number): void {
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** circuit.trips, LONGEST_PAUSE_MS);
  Object.assign(circuit, newCircuit(at), {
    trips: circuit.trips + 1,
    openUntil: at + Math.max(pause, pauseMs),
  });
}

function roll(circuit: Circuit, at: number): void {
  const passed = at - circuit.since;
  if (passed < HALF_WINDOW_MS) return;
  const kept = passed < 2 * HALF_WINDOW_MS;
  circuit.failedBefore = kept ? circuit.failed : 0;
  circuit.passedBefore = kept ? circuit.passed : 0;
  circuit.failed = 0;
  circuit.passed = 0;
  circuit.since = at;
}
