import type { RegisterInput } from "@gateway/shared/registration";
import type { Settings } from "@gateway/shared/settings";
import { UserStatus } from "@gateway/shared/user";
import { audit } from "#domain/audit-log/audit.ts";
import { forbidden } from "#errors.ts";
import type { Db } from "#platform/db.ts";
import type { PrismaClient, User } from "#platform/prisma/client.ts";
import { giveGifts, insertUser } from "./new-user.ts";
import { hashPassword } from "./passwords.ts";

/** Sign-up: who may, and what a newcomer and the inviter get. */

type Rules = Pick<
  Settings,
  | "RegisterEnabled"
  | "PasswordRegisterEnabled"
  | "EmailVerificationEnabled"
  | "QuotaForNewUser"
  | "QuotaForInvitee"
  | "QuotaForInviter"
>;

/** Throws `forbidden` while sign-up is closed, `conflict` for a name that is taken. */
export async function register(
  db: PrismaClient,
  input: RegisterInput & { ip: string },
  rules: Rules,
): Promise<User> {
  requireOpen(rules);
  const passwordHash = await hashPassword(input.password);
  return db.$transaction(async (tx) => {
    const inviterId = await findInviter(tx, input.aff_code);
    const user = await insertUser(tx, {
      username: input.username,
      displayName: "",
      passwordHash,
      ...(inviterId === undefined ? {} : { inviterId }),
    });
    await giveGifts(tx, user, {
      newUser: rules.QuotaForNewUser,
      invitee: rules.QuotaForInvitee,
      inviter: rules.QuotaForInviter,
    });
    await audit(tx, {
      actor: { id: user.id, username: user.username, ip: input.ip },
      action: "user.register",
      targetType: "user",
      targetId: user.id,
      after: { username: user.username, inviter_id: user.inviter_id },
    });
    return user;
  });
}

function requireOpen(rules: Rules): void {
  if (!rules.RegisterEnabled) throw forbidden("The administrator has closed sign-up.");
  if (!rules.PasswordRegisterEnabled) {
    throw forbidden("Signing up with a password is switched off.");
  }
  // Letting people in unverified would be the opposite of what the operator asked for.
  if (rules.EmailVerificationEnabled) {
    throw forbidden(
      "Sign-up needs a verified e-mail address, and this server has no mail server to send from.",
    );
  }
}

/** A code that nobody has, or whose owner is gone, is no reason to turn a newcomer away. */
export async function findInviter(db: Db, affCode: string): Promise<number | undefined> {
  if (affCode === "") return undefined;
  const inviter = await db.user.findFirst({
    where: { aff_code: affCode, deleted_at: null, status: UserStatus.enabled },
    select: { id: true },
  });
  return inviter?.id;
}
