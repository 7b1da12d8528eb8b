/** Password reset: an emailed link, with which the user sets a new password. */
import { UserStatus } from "@gateway/shared/accounts/user";
import { writeAudit } from "#domain/audit-log/audit.ts";
import { forbidden, type GatewayError } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import type { PrismaClient, User } from "#platform/prisma/client.ts";
import { randomText, sameSecret, type Secrets } from "#platform/secrets.ts";
import { hashPassword } from "./passwords.ts";
import { endAccess } from "./sessions.ts";

const PURPOSE = "reset";
export const RESET_MINUTES = 30;

export interface ResetLetter {
  user: User;
  token: string;
}

/**
 * Creates a reset token. Returns undefined if no enabled user has this address; the client must not see the
 * difference.
 */
export async function beginReset(db: Db, secrets: Secrets, email: string): Promise<ResetLetter | undefined> {
  const user = await db.user.findFirst({
    where: { email, deleted_at: null, status: UserStatus.enabled },
  });
  if (user === null) return undefined;
  const token = randomText(43);
  const row = {
    code_hash: secrets.hash(token),
    payload: { user_id: user.id },
    expires_at: new Date(currentTime().getTime() + RESET_MINUTES * 60_000),
  };
  await db.oneTimeCode.upsert({
    where: { purpose_subject: { purpose: PURPOSE, subject: email } },
    create: { purpose: PURPOSE, subject: email, ...row },
    update: row,
  });
  return { user, token };
}

/**
 * Sets the password and ends all access to the account. Throws `forbidden` for an invalid or expired link.
 */
export async function finishReset(
  db: PrismaClient,
  secrets: Secrets,
  { email, token, password, ip }: { email: string; token: string; password: string; ip: string },
): Promise<User> {
  // Check the link before the expensive hash, so that wrong links cost little. The link is consumed below.
  await requireLink(db, secrets, email, token);
  const password_hash = await hashPassword(password);
  return db.$transaction(async (tx) => {
    const user = await tx.user.findFirst({
      where: { email, deleted_at: null, status: UserStatus.enabled },
    });
    if (user === null) throw badLink();
    // The address may have moved to another account since the email was sent.
    const { count } = await tx.oneTimeCode.deleteMany({
      where: {
        purpose: PURPOSE,
        subject: email,
        code_hash: secrets.hash(token),
        payload: { path: ["user_id"], equals: user.id },
      },
    });
    if (count === 0) throw badLink();
    await endAccess(tx, secrets, user.id);
    await writeAudit(tx, {
      actor: { id: user.id, username: user.username, ip },
      action: "user.password_reset",
      targetType: "user",
      targetId: user.id,
    });
    return tx.user.update({ where: { id: user.id }, data: { password_hash } });
  });
}

async function requireLink(db: Db, secrets: Secrets, email: string, token: string): Promise<void> {
  const row = await db.oneTimeCode.findUnique({
    where: { purpose_subject: { purpose: PURPOSE, subject: email } },
  });
  const good =
    row !== null && row.expires_at > currentTime() && sameSecret(row.code_hash, secrets.hash(token));
  if (!good) throw badLink();
}

function badLink(): GatewayError {
  return forbidden({ reason: "reset_link_invalid" });
}
