/** External accounts that an administrator links to a user, as scripts that import users do. */
import type { IdentityProviderId } from "@gateway/shared/accounts/sign-in";
import { lockTarget } from "#domain/accounts/administration.ts";
import { type Administrator, requireMayChange } from "#domain/accounts/authority.ts";
import { writeAudit } from "#domain/audit-log/audit.ts";
import { conflict } from "#errors.ts";
import type { Prisma } from "#platform/prisma/client.ts";

export interface ExternalAccount {
  provider: IdentityProviderId | "telegram";
  /** The provider's id of the account. */
  subject: string;
  /** Its name; undefined keeps the stored one. */
  label?: string | undefined;
}

/**
 * Links external accounts to a user; each replaces the one that was linked before. The owner is notified, as
 * for a link that the owner makes. Throws `forbidden` unless the user ranks below the actor, and `conflict`
 * if an external account belongs to another user.
 */
export async function linkForUser(
  tx: Prisma.TransactionClient,
  actor: Administrator,
  userId: number,
  accounts: readonly ExternalAccount[],
): Promise<void> {
  requireMayChange(actor, await lockTarget(tx, actor, userId), { part: "access" });
  for (const { provider, subject, label } of accounts) {
    const known = await tx.identity.findUnique({ where: { provider_subject: { provider, subject } } });
    if (known !== null && known.user_id !== userId) throw conflict({ reason: "linked_to_another_user" });
    const before = await tx.identity.findFirst({ where: { user_id: userId, provider } });
    const name = (label ?? before?.label ?? "").slice(0, 255);
    if (before === null)
      await tx.identity.create({ data: { user_id: userId, provider, subject, label: name } });
    else await tx.identity.update({ where: { id: before.id }, data: { subject, label: name } });
    await writeAudit(tx, {
      actor,
      action: "user.bind",
      targetType: "user",
      targetId: userId,
      ...(before === null ? {} : { before: { provider, label: before.label } }),
      after: { provider, label: name },
    });
  }
}
