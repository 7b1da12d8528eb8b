/**
 * The database's time, advanced by this machine's monotonic clock. All nodes agree on it. Changing a wall
 * clock affects neither a duration nor the hour that a call is counted in.
 */

/** Milliseconds since 1970 at which the monotonic clock was 0. */
let origin = performance.timeOrigin;
let isSet = false;

/** Difference that is left uncorrected, in milliseconds: a clock that steps back changes the order of calls. */
const toleratedMs = 250;
/** Maximum round trip, in milliseconds. A slower response is too imprecise. */
const longestRoundTripMs = 1_000;

/** Returns milliseconds since 1970, as an integer. */
export function now(): number {
  return Math.round(origin + performance.now());
}

/**
 * Adopts the database's time.
 * @param databaseMs the database's clock, in milliseconds since 1970
 * @param requestedAt `performance.now()` when the request was sent; the response has just arrived
 */
export function followClock(databaseMs: number, requestedAt: number): void {
  const answeredAt = performance.now();
  const roundTripMs = answeredAt - requestedAt;
  if (isSet && roundTripMs > longestRoundTripMs) return;
  const wanted = databaseMs - (requestedAt + answeredAt) / 2;
  // The database read its clock at any moment of the round trip.
  if (isSet && Math.abs(wanted - origin) < toleratedMs + roundTripMs / 2) return;
  origin = wanted;
  isSet = true;
}

/** Returns the current time as a Date. */
export function currentTime(): Date {
  return new Date(now());
}

/** Returns seconds since 1970. */
export function unixTime(instant: Date): number {
  return Math.floor(instant.getTime() / 1_000);
}
