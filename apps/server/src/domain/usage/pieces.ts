/** Usage is kept summed by the hour and by longer pieces; a time is put together from the fewest of them. */

const hourMs = 3_600_000;

/** From long to short, all counted from 1970 UTC. A part is a length that most time zones' days are made of. */
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
 * @param span of whole hours; nothing when it ends before it begins
 * @param cuts instants, oldest first, that lie in no piece longer than an hour
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
