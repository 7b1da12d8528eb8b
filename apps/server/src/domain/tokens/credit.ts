import { bookCharges } from "#domain/ledger/bookings/book-charges.ts";
import { invalidKey } from "#errors.ts";
import type { Db } from "#platform/database/db.ts";
import type { Caller } from "./callers.ts";
import { quotaLeft } from "./tokens.ts";

/** What a caller may still spend and has spent, in points. */
export interface Credit {
  left: bigint;
  used: bigint;
}

/**
 * Returns the credit of the token if it has its own limit, else of its owner. Reads the database, because a
 * cached caller contains no balance.
 */
export async function creditOf(db: Db, { tokenId, unlimited, userId }: Caller): Promise<Credit> {
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
