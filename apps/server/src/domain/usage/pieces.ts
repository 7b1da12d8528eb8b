/** Splits a time span into the fewest pieces for which usage sums are stored. */

const hourMs = 3_600_000;

/**
 * Piece lengths in milliseconds, longest first, aligned to 1970 UTC.
 * A part divides the days of most time zones.
 */
export const lengths = { week: 168 * hourMs, day: 24 * hourMs, part: 4 * hourMs, hour: hourMs } as const;
export type Length = keyof typeof lengths;

export interface Span {
  from: Date;
  to: Date;
}

export interface Piece {
  length: Length;
  starts: Date;
}

/**
 * Returns the pieces of a span.
 * @param span in whole hours; no pieces when it ends before it begins
 * @param cuts instants, oldest first, that must not lie inside a piece longer than an hour
 */
export function piecesOf(span: Span, cuts: readonly Date[] = []): Piece[] {
  const pieces: Piece[] = [];
  const [end, cutAt] = [span.to.getTime(), cuts.map((cut) => cut.getTime())];
  let next = 0;
  let at = span.from.getTime();
  while (at < end) {
    while ((cutAt[next] ?? Infinity) <= at) next += 1;
    const whole = Math.min(end, cutAt[next] ?? Infinity);
    const fits = (length: Length) => at % lengths[length] === 0 && at + lengths[length] <= whole;
    const length = (["week", "day", "part"] as const).find(fits) ?? "hour";
    pieces.push({ length, starts: new Date(at) });
    at += lengths[length];
  }
  return pieces;
}
