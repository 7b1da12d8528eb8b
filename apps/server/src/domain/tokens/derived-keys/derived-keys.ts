/** The derived keys of a token that were used, for its owner. */
import type { DerivedKeyRow } from "@gateway/shared/accounts/derived-key";
import { writeAudit } from "#domain/audit-log/audit.ts";
import { changeInTurn } from "#domain/tokens/storage-limits.ts";
import { getToken, lockToken, type Owner } from "#domain/tokens/tokens.ts";
import { notFound } from "#errors.ts";
import { announce } from "#platform/announcements.ts";
import { currentTime, unixTime } from "#platform/clock.ts";
import type { Db, Pool } from "#platform/database/db.ts";
import type { DerivedKey, Prisma, PrismaClient } from "#platform/prisma/client.ts";

/** Days after its expiry for which a derived key is shown. */
const keptDays = 7;

interface DerivedKeySearch {
  tokenId: number;
  skip: number;
  take: number;
  orderBy: Prisma.DerivedKeyOrderByWithRelationInput[];
}

/** Returns a page of the derived keys of a token. Throws `not_found`. */
export async function listDerivedKeys(
  db: Db,
  ownerId: number,
  { tokenId, skip, take, orderBy }: DerivedKeySearch,
): Promise<{ rows: DerivedKeyRow[]; total: number }> {
  await getToken(db, ownerId, tokenId);
  const where = { token_id: tokenId, user_id: ownerId };
  const [rows, total] = await Promise.all([
    db.derivedKey.findMany({ where, skip, take, orderBy }),
    db.derivedKey.count({ where }),
  ]);
  return { rows: rows.map(describeDerivedKey), total };
}

function describeDerivedKey(key: DerivedKey): DerivedKeyRow {
  return {
    id: key.id,
    parent_id: key.parent_id,
    label: key.label,
    quota: key.quota === null ? null : Number(key.quota),
    spent: Number(key.spent),
    reserved: Number(key.reserved),
    created_at: unixTime(key.created_at),
    used_at: unixTime(key.used_at),
    expires_at: unixTime(key.expires_at),
    revoked_at: key.revoked_at && unixTime(key.revoked_at),
  };
}

/**
 * Revokes a derived key and the keys that were derived from it. Calls in progress end. Without effect on a key that is
 * revoked already. Throws `not_found`.
 */
export async function revokeDerivedKey(
  db: PrismaClient,
  owner: Owner,
  { tokenId, id }: { tokenId: number; id: string },
): Promise<DerivedKeyRow> {
  return changeInTurn(db, owner.id, async (tx) => {
    // Calls that begin at the same time are decided before or after this.
    await lockToken(tx, tokenId);
    await getToken(tx, owner.id, tokenId);
    const before = await tx.derivedKey.findFirst({ where: { id, token_id: tokenId, user_id: owner.id } });
    if (before === null) throw notFound({ reason: "derived_key_not_found" });
    if (before.revoked_at !== null) return describeDerivedKey(before);
    const after = await tx.derivedKey.update({ where: { id }, data: { revoked_at: currentTime() } });
    await writeAudit(tx, {
      actor: owner,
      action: "token.revoke-derived",
      targetType: "token",
      targetId: tokenId,
      before: describeDerivedKey(before),
      after: describeDerivedKey(after),
    });
    await announce(tx, "tokens", tokenId);
    return describeDerivedKey(after);
  });
}

/** Deletes derived keys that expired a week ago. They cannot be used again, so their amounts do not begin again. */
export async function forgetDerivedKeys(pool: Pool): Promise<void> {
  await pool.query(
    "DELETE FROM derived_keys WHERE reserved = 0 AND expires_at < now() - make_interval(days => $1)",
    [keptDays],
  );
}
