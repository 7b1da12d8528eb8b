/**
 * The time by the database's clock, counted on by this machine's monotonic one. All nodes agree on it, and a wall clock
 * that is set forward or back changes neither a duration nor the hour that a call is counted in.
 */

/** Milliseconds since 1970 when the monotonic clock was 0. */
let origin = performance.timeOrigin;
let isSet = false;

/** A difference that the way to the database explains. */
const toleratedMs = 250;
/** An answer that took longer says too little. */
const longestRoundTripMs = 1_000;

/** Milliseconds since 1970, whole. */
export function now(): number {
  return Math.round(origin + performance.now());
}

/**
 * Takes over the database's time.
 * @param databaseMs its clock, in milliseconds since 1970
 * @param requestedAt `performance.now()` when it was asked; the answer came just now
 */
export function followClock(databaseMs: number, requestedAt: number): void {
  const answeredAt = performance.now();
  if (isSet && answeredAt - requestedAt > longestRoundTripMs) return;
  const wanted = databaseMs - (requestedAt + answeredAt) / 2;
  if (isSet && Math.abs(wanted - origin) < toleratedMs) return;
  origin = wanted;
  isSet = true;
}

/** The same as a date. */
export function currentTime(): Date {
  return new Date(now());
}
