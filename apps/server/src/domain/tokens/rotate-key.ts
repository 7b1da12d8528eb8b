/**
 * Replaces the key of a token. The token keeps its row, so limits, budget and usage stay the same. The previous key
 * works until the end of the overlap. A token has at most two keys.
 */
import type { KeyOverlap } from "@gateway/shared/accounts/token";
import { conflict } from "#errors.ts";
import { announce } from "#platform/announcements.ts";
import { currentTime } from "#platform/clock.ts";
import type { Prisma, PrismaClient, Token } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import { newKey, sealKey } from "./keys.ts";
import { countChange, changeInTurn } from "./storage-limits.ts";
import { auditToken, getToken, lockToken, type Owner } from "./tokens.ts";

const hourMs = 3_600_000;

/** Columns of a token without a previous key. */
export const noPreviousKey = { previous_hash: null, previous_hint: "", previous_until: null } as const;

/**
 * Gives a token a new key and returns it. A key that is left from an earlier rotation stops working. Throws `not_found`
 * and `rate_limit_exceeded`.
 * @param overlapHours how long the previous key works; 0 = it stops now
 */
export async function rotateKey(
  db: PrismaClient,
  secrets: Secrets,
  owner: Owner,
  { id, overlapHours }: { id: number; overlapHours: KeyOverlap },
): Promise<{ token: Token; key: string }> {
  return changeInTurn(db, owner.id, async (tx) => {
    await countChange(tx, owner);
    await lockToken(tx, id);
    const before = await getToken(tx, owner.id, id);
    const key = newKey();
    const until = new Date(currentTime().getTime() + overlapHours * hourMs);
    const previous =
      overlapHours === 0
        ? noPreviousKey
        : { previous_hash: before.key_hash, previous_hint: before.key_hint, previous_until: until };
    const token = await tx.token.update({
      where: { id },
      data: { ...sealKey(secrets, key), ...previous },
    });
    if (overlapHours === 0) await endRealtimeSecrets(tx, id);
    await auditToken(tx, owner, "token.rotate", before, token);
    await announce(tx, "tokens", id);
    return { token, key };
  });
}

/** Ends the overlap of a rotation now. Throws `not_found`, and `conflict` without a previous key. */
export async function endPreviousKey(db: PrismaClient, owner: Owner, id: number): Promise<Token> {
  return changeInTurn(db, owner.id, async (tx) => {
    await lockToken(tx, id);
    const before = await getToken(tx, owner.id, id);
    if (before.previous_until === null || before.previous_until <= currentTime())
      throw conflict({ reason: "no_previous_key" });
    const token = await tx.token.update({ where: { id }, data: noPreviousKey });
    await endRealtimeSecrets(tx, id);
    await auditToken(tx, owner, "token.end_previous_key", before, token);
    await announce(tx, "tokens", id);
    return token;
  });
}

/** Deletes the short-lived keys of a token: whoever knows its previous key could have made them. */
async function endRealtimeSecrets(tx: Prisma.TransactionClient, token_id: number): Promise<void> {
  await tx.realtimeSecret.deleteMany({ where: { token_id } });
}
