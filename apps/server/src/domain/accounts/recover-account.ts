import { type Actor, writeAudit } from "#domain/audit-log/audit.ts";
import { notFound } from "#errors.ts";
import { announce } from "#platform/announcements.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import { randomText, type Secrets } from "#platform/secrets.ts";
import { hashPassword } from "./sign-in/passwords.ts";
import { removeTotp } from "./sign-in/second-factor.ts";
import { endAccess } from "./sign-in/sessions.ts";

/** About 119 bits. */
const PASSWORD_LENGTH = 20;

export interface Recovery {
  userId: number;
  /** Turns two-factor authentication off as well. */
  removeSecondFactor: boolean;
}

/**
 * Sets a random password and ends every session, for someone who has lost theirs. For operators who have access to the
 * database, so it works for root too. Returns the password. Throws `not_found` for an unknown or deleted account.
 */
export async function recoverAccount(
  db: PrismaClient,
  secrets: Secrets,
  actor: Actor,
  { userId, removeSecondFactor }: Recovery,
): Promise<string> {
  const password = randomText(PASSWORD_LENGTH);
  const password_hash = await hashPassword(password);
  await db.$transaction(async (tx) => {
    const { count } = await tx.user.updateMany({
      where: { id: userId, deleted_at: null },
      data: { password_hash },
    });
    if (count === 0) throw notFound({ reason: "user_not_found" });
    await endAccess(tx, secrets, userId);
    await writeAudit(tx, { actor, action: "user.password_reset", targetType: "user", targetId: userId });
    await announce(tx, "users", userId);
  });
  if (removeSecondFactor) await removeTotp(db, actor, userId);
  return password;
}
