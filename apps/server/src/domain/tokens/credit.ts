import type { DerivedKeyShare } from "#domain/ledger/batches/operations.ts";
import { bookCharges } from "#domain/ledger/bookings/book-charges.ts";
import { invalidKey } from "#errors.ts";
import type { Db } from "#platform/database/db.ts";
import type { Caller } from "./callers.ts";
import { sharesOf } from "./derived-keys/derived-access.ts";
import { quotaLeft } from "./tokens.ts";

/** What a caller may still spend and has spent, in points. */
export interface Credit {
  left: bigint;
  used: bigint;
}

/**
 * Returns the credit of the token if it has its own limit, else of its owner; of a derived key what it has left of
 * that. Reads the database, because a cached caller contains no balance.
 */
export async function creditOf(db: Db, caller: Caller, pointsPerUsd: number): Promise<Credit> {
  const credit = await creditOfToken(db, caller);
  return caller.derived === undefined
    ? credit
    : restrictCredit(db, credit, sharesOf(caller.derived, pointsPerUsd));
}

async function restrictCredit(db: Db, credit: Credit, shares: readonly DerivedKeyShare[]): Promise<Credit> {
  const rows = await db.derivedKey.findMany({
    where: { id: { in: shares.map(({ id }) => id) } },
    select: { id: true, spent: true },
  });
  const spent = new Map(rows.map((row) => [row.id, row.spent]));
  let { left } = credit;
  let used = 0n;
  for (const { id, limit } of shares) {
    used = spent.get(id) ?? 0n;
    if (limit === undefined) continue;
    const rest = limit > used ? limit - used : 0n;
    if (rest < left) left = rest;
  }
  return { left, used };
}

async function creditOfToken(db: Db, { tokenId, unlimited, userId }: Caller): Promise<Credit> {
  await bookCharges(db, userId);
  const row = unlimited
    ? await db.user.findUnique({ where: { id: userId }, select: { quota: true, used_quota: true } })
    : await db.token.findUnique({
        where: { id: tokenId },
        select: { remain_quota: true, used_quota: true },
      });
  if (row === null) throw invalidKey();
  return { left: "quota" in row ? row.quota : quotaLeft(row), used: row.used_quota };
}
