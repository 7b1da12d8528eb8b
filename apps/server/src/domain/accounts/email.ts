/**
 * The email address of an account. Its owner can reset the password, so the address must be verified before
 * it is stored.
 */
import { writeAudit, type Actor } from "#domain/audit-log/audit.ts";
import { conflict } from "#errors.ts";
import { isDuplicate } from "#platform/database/duplicate.ts";
import type { PrismaClient, User } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import { checkCode, type CodePlace, spendCode } from "./mail-codes.ts";

export function bindingPlace(userId: number, email: string): CodePlace {
  return { purpose: "email-bind", subject: String(userId), email };
}

/**
 * Sets the email address. Returns the updated user. Throws `invalid_request` for a wrong code, and
 * `conflict` for an address in use.
 */
export async function bindEmail(
  db: PrismaClient,
  secrets: Secrets,
  { actor, user, email, code }: { actor: Actor; user: User; email: string; code: string },
): Promise<User> {
  const place = bindingPlace(user.id, email);
  const proof = { code, field: "code" };
  await checkCode(db, secrets, place, proof);
  try {
    return await db.$transaction(async (tx) => {
      await spendCode(tx, secrets, place, proof);
      await writeAudit(tx, {
        actor,
        action: "user.email",
        targetType: "user",
        targetId: user.id,
        before: { email: user.email },
        after: { email },
      });
      return tx.user.update({ where: { id: user.id }, data: { email } });
    });
  } catch (error) {
    throw isDuplicate(error) ? emailTakenError() : error;
  }
}

export function emailTakenError() {
  return conflict({ reason: "email_taken" }, { field: "email" });
}
