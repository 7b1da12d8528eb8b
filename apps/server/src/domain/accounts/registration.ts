/** Sign-up: who may sign up, and which gifts a new user and the inviter get. */
import type { RegisterInput } from "@gateway/shared/accounts/registration";
import { UserStatus } from "@gateway/shared/accounts/user";
import type { Settings } from "@gateway/shared/site/settings";
import { writeAudit } from "#domain/audit-log/audit.ts";
import { forbidden, invalidFields } from "#errors.ts";
import type { Db } from "#platform/database/db.ts";
import type { PrismaClient, User } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import { emailTakenError } from "./email.ts";
import { checkCode, type CodePlace, isEmailTaken, requireDomain, spendCode } from "./mail-codes.ts";
import { computeSignUpGifts, giveGifts, insertUser, explainDuplicate } from "./new-user.ts";
import { hashPassword } from "./sign-in/passwords.ts";

type Rules = Pick<
  Settings,
  | "RegisterEnabled"
  | "PasswordRegisterEnabled"
  | "EmailVerificationEnabled"
  | "EmailDomainRestrictionEnabled"
  | "EmailDomainWhitelist"
  | "QuotaForNewUser"
  | "QuotaForInvitee"
  | "QuotaForInviter"
  | "GiftsPerNetworkPerDay"
>;

export function signUpPlace(email: string): CodePlace {
  return { purpose: "email-signup", subject: email, email };
}

/**
 * Registers a user. Throws `forbidden` while sign-up is closed, `conflict` for a name that is taken, and
 * `invalid_request` for an unverified email address where verification is required.
 */
export async function register(
  db: PrismaClient,
  secrets: Secrets,
  input: RegisterInput & { ip: string },
  rules: Rules,
): Promise<User> {
  requireOpen(rules);
  const email = rules.EmailVerificationEnabled ? input.email : "";
  const proof = { code: input.verification_code, field: "verification_code" };
  if (rules.EmailVerificationEnabled) {
    requireEmail(input);
    requireDomain(email, rules);
    await checkCode(db, secrets, signUpPlace(email), proof);
  }
  const passwordHash = await hashPassword(input.password);
  return db.$transaction(async (tx) => {
    const inviterId = await findInviter(tx, input.aff_code);
    const user = await insertUser(tx, {
      username: input.username,
      displayName: "",
      passwordHash,
      ...(inviterId === undefined ? {} : { inviterId }),
    });
    if (email !== "") {
      await spendCode(tx, secrets, signUpPlace(email), proof);
      if (await isEmailTaken(tx, email)) throw emailTakenError();
      await tx.user.update({ where: { id: user.id }, data: { email } }).catch((error: unknown) => {
        throw explainDuplicate(error);
      });
    }
    await giveGifts(tx, user, await computeSignUpGifts(tx, input.ip, rules));
    await writeAudit(tx, {
      actor: { id: user.id, username: user.username, ip: input.ip },
      action: "user.register",
      targetType: "user",
      targetId: user.id,
      after: {
        username: user.username,
        inviter_id: user.inviter_id,
        ...(email === "" ? {} : { email }),
      },
    });
    return user;
  });
}

function requireEmail(input: RegisterInput): void {
  const error = invalidFields({
    ...(input.email === "" ? { email: { reason: "email_required" } } : {}),
    ...(input.verification_code === "" ? { verification_code: { reason: "code_required" } } : {}),
  });
  if (error !== undefined) throw error;
}

/** Throws `forbidden` while sign-up with a password is disabled. */
export function requireOpen(rules: Pick<Rules, "RegisterEnabled" | "PasswordRegisterEnabled">): void {
  if (!rules.RegisterEnabled) throw forbidden({ reason: "sign_up_closed" });
  if (!rules.PasswordRegisterEnabled) {
    throw forbidden({ reason: "password_sign_up_off" });
  }
}

/**
 * Returns the id of the inviter. An unknown code, or one whose owner is gone, does not prevent the sign-up.
 */
export async function findInviter(db: Db, affCode: string): Promise<number | undefined> {
  if (affCode === "") return undefined;
  const inviter = await db.user.findFirst({
    where: { aff_code: affCode, deleted_at: null, status: UserStatus.enabled },
    select: { id: true },
  });
  return inviter?.id;
}
