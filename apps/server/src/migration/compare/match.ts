import type { LogPrice } from "#migration/records.ts";

/** A charged call in the log of one of the two gateways. */
export interface LoggedCharge {
  /** The request id here, the row there. */
  id: string;
  /** Id that the gateway there gave the call and sent with its answer; undefined if it is not known. */
  requestId?: string | undefined;
  /** Equal in a log that has one instant per call. */
  startedAt: number;
  endedAt: number;
  model: string;
  input: number;
  output: number;
  points: bigint;
  price?: LogPrice | undefined;
}

export interface Match {
  here?: LoggedCharge;
  there?: LoggedCharge;
  /** More than one row fits, and the result would depend on the choice. */
  isAmbiguous: boolean;
  /** Both rows have the same request id, so that nothing else had to be compared. */
  isById?: true;
}

/**
 * Finds the row of each call in the other log, and uses each row once: first rows of the same request id; then rows of the same model
 * and tokens, in the order of time; then rows of the same model whose tokens differ, if there is only one.
 */
export function* matchCharges(
  here: readonly LoggedCharge[],
  there: readonly LoggedCharge[],
  windowMs: number,
): Generator<Match> {
  const fits = (a: LoggedCharge, b: LoggedCharge) =>
    b.endedAt >= a.startedAt - windowMs && b.startedAt <= a.endedAt + windowMs;
  const matches = sameIds(here, there);
  yield* matches;
  const paired = new Set(matches.flatMap((match) => [match.here, match.there]));
  const withoutPair = (side: readonly LoggedCharge[]) => side.filter((charge) => !paired.has(charge));
  const leftHere: LoggedCharge[] = [];
  const leftThere: LoggedCharge[] = [];
  const sameTokens = ({ model, input, output }: LoggedCharge) => JSON.stringify([model, input, output]);
  for (const [a, b] of pairsOf(withoutPair(here), withoutPair(there), sameTokens)) {
    for (const match of inOrder(a, b, fits)) {
      if (match.here === undefined && match.there !== undefined) leftThere.push(match.there);
      else if (match.there === undefined && match.here !== undefined) leftHere.push(match.here);
      else yield match;
    }
  }
  for (const [a, b] of pairsOf(leftHere, leftThere, ({ model }) => model))
    yield* onlyCandidates(a, b, windowMs);
}

/** An id that occurs more than once on a side does not identify a call. */
function sameIds(here: readonly LoggedCharge[], there: readonly LoggedCharge[]): Match[] {
  const rows = uniqueIds(there);
  return [...uniqueIds(here)].flatMap(([id, a]) => {
    const b = rows.get(id);
    return b === undefined ? [] : [{ here: a, there: b, isAmbiguous: false, isById: true }];
  });
}

function uniqueIds(charges: readonly LoggedCharge[]): Map<string, LoggedCharge> {
  const found = new Map<string, LoggedCharge>();
  const repeated = new Set<string>();
  for (const charge of charges) {
    const { requestId } = charge;
    if (requestId === undefined) continue;
    if (found.has(requestId)) repeated.add(requestId);
    found.set(requestId, charge);
  }
  for (const id of repeated) found.delete(id);
  return found;
}

type Fits = (here: LoggedCharge, there: LoggedCharge) => boolean;

/** The rows of both sides by key, in the order of time. */
function pairsOf(
  here: readonly LoggedCharge[],
  there: readonly LoggedCharge[],
  keyOf: (charge: LoggedCharge) => string,
) {
  const groups = new Map<string, [LoggedCharge[], LoggedCharge[]]>();
  const add = (side: 0 | 1) => (charge: LoggedCharge) => {
    const key = keyOf(charge);
    const group = groups.get(key) ?? [[], []];
    group[side].push(charge);
    groups.set(key, group);
  };
  here.forEach(add(0));
  there.forEach(add(1));
  for (const sides of groups.values())
    for (const side of sides) side.sort((a, b) => a.endedAt - b.endedAt || a.startedAt - b.startedAt);
  return groups.values();
}

function* inOrder(
  here: readonly LoggedCharge[],
  there: readonly LoggedCharge[],
  fits: Fits,
): Generator<Match> {
  // Where all rows have the same charge, it does not matter which of them belongs to which call.
  const isUniform = [here, there].every((side) => new Set(side.map(({ points }) => points)).size <= 1);
  let i = 0;
  let j = 0;
  while (i < here.length || j < there.length) {
    const a = here[i];
    const b = there[j];
    if (a !== undefined && b !== undefined && fits(a, b)) {
      const isAmbiguous =
        !isUniform &&
        a.points !== b.points &&
        ([here[i - 1], here[i + 1]].some((other) => other !== undefined && fits(other, b)) ||
          [there[j - 1], there[j + 1]].some((other) => other !== undefined && fits(a, other)));
      yield { here: a, there: b, isAmbiguous };
      i += 1;
      j += 1;
    } else if (a !== undefined && (b === undefined || a.endedAt < b.endedAt)) {
      yield { here: a, isAmbiguous: false };
      i += 1;
    } else if (b !== undefined) {
      yield { there: b, isAmbiguous: false };
      j += 1;
    }
  }
}

function* onlyCandidates(
  here: readonly LoggedCharge[],
  there: readonly LoggedCharge[],
  windowMs: number,
): Generator<Match> {
  const used = new Set<LoggedCharge>();
  const rowsFor = fitting(there, windowMs);
  const callsFor = fitting(here, windowMs);
  for (const a of here) {
    const candidates = rowsFor(a);
    const [only] = candidates;
    const isAmbiguous = candidates.length > 1 || (only !== undefined && callsFor(only).length > 1);
    if (isAmbiguous) for (const candidate of candidates) used.add(candidate);
    else if (only !== undefined) used.add(only);
    yield { here: a, ...(only === undefined || isAmbiguous ? {} : { there: only }), isAmbiguous };
  }
  for (const b of there) if (!used.has(b)) yield { there: b, isAmbiguous: false };
}

/**
 * Returns a function that finds the charges which fit one of the other side. The charges must be in the order
 * in which they ended; only those near that time are looked at, because there may be 200,000 of them.
 */
function fitting(
  charges: readonly LoggedCharge[],
  windowMs: number,
): (other: LoggedCharge) => LoggedCharge[] {
  const longest = charges.reduce((most, { startedAt, endedAt }) => Math.max(most, endedAt - startedAt), 0);
  return (other) => {
    const found: LoggedCharge[] = [];
    const latest = other.endedAt + windowMs;
    for (let at = firstEndingFrom(charges, other.startedAt - windowMs); at < charges.length; at += 1) {
      const charge = charges[at];
      if (charge === undefined || charge.endedAt > latest + longest) break;
      if (charge.startedAt <= latest) found.push(charge);
    }
    return found;
  };
}

/** Binary search. */
function firstEndingFrom(charges: readonly LoggedCharge[], time: number): number {
  let low = 0;
  let high = charges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((charges[middle]?.endedAt ?? Infinity) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
