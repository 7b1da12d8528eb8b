/** What the levels of a derived key allow together. It must not read a database or know the text of a key. */
import type { DerivedKeyRestrictions } from "@gateway/shared/accounts/derived-key";
import type { DerivedKeyShare } from "#domain/ledger/batches/operations.ts";

/** One level of a caller's derived key. Plain JSON, because background responses store their caller. */
export interface DerivedLevel {
  id: string;
  label: string;
  /** US dollars that it may spend. */
  usd?: number | undefined;
  /** Milliseconds since 1970. Not after that of the level before. */
  expiresAt: number;
  models?: readonly string[] | undefined;
  ips?: readonly string[] | undefined;
}

/** The levels of a derived key, outermost first. */
export type DerivedAccess = readonly [DerivedLevel, ...DerivedLevel[]];

/** Returns the levels with their IDs; undefined when the first one does not expire. */
export function describeLevels(
  levels: readonly { restrictions: DerivedKeyRestrictions }[],
  ids: readonly string[],
): DerivedAccess | undefined {
  const described: DerivedLevel[] = [];
  let expiresAt = Number.POSITIVE_INFINITY;
  for (const [index, { restrictions }] of levels.entries()) {
    const { exp, usd, models, ips, label = "" } = restrictions;
    expiresAt = Math.min(expiresAt, exp === undefined ? expiresAt : exp * 1_000);
    if (expiresAt === Number.POSITIVE_INFINITY) return undefined;
    const amount = usd === undefined ? undefined : Number(usd);
    described.push({ id: ids[index] ?? "", label, usd: amount, expiresAt, models, ips });
  }
  const [first, ...others] = described;
  return first === undefined ? undefined : [first, ...others];
}

/** Returns what a call counts against, outermost first. */
export function sharesOf(levels: DerivedAccess, pointsPerUsd: number): DerivedKeyShare[] {
  return levels.map(({ id, label, usd, expiresAt }, index) => ({
    id,
    parentId: levels[index - 1]?.id,
    label,
    limit: usd === undefined ? undefined : wholePoints(usd, pointsPerUsd),
    expiresAt,
  }));
}

/** Rounds down. The tolerance is that of the multiplication, far below the smallest amount of a key. */
function wholePoints(usd: number, pointsPerUsd: number): bigint {
  return BigInt(Math.floor(usd * pointsPerUsd + 1e-6));
}

/** Returns the level that a call belongs to. */
export function innermostLevel(levels: DerivedAccess): DerivedLevel {
  return levels.at(-1) ?? levels[0];
}

/** Returns the labels of all levels, for the log: "planner / researcher". */
export function labelOf(levels: DerivedAccess): string {
  return levels.flatMap(({ label }) => (label === "" ? [] : [label])).join(" / ");
}
