/** Changes that users make to their own account. */
import type { PasswordChange, ProfileInput } from "@gateway/shared/accounts/profile";
import { type Actor, writeAudit } from "#domain/audit-log/audit.ts";
import type { PrismaClient, User } from "#platform/prisma/client.ts";
import { randomText, type Secrets } from "#platform/secrets.ts";
import { hashPassword } from "./sign-in/passwords.ts";
import { requireProof, wrongPassword } from "./sign-in/proof.ts";
import { endAccess } from "./sign-in/sessions.ts";
import { requireStillProven } from "./sign-in/still-proven.ts";

const ACCESS_TOKEN_LENGTH = 32;

export async function changeProfile(db: PrismaClient, userId: number, input: ProfileInput): Promise<User> {
  const { display_name, avatar_url, language } = input;
  return db.user.update({
    where: { id: userId },
    data: {
      ...(display_name === undefined ? {} : { display_name }),
      ...(avatar_url === undefined ? {} : { avatar_url }),
      ...(language === undefined ? {} : { language }),
    },
  });
}

/**
 * Changes the password, ends all other sessions and deletes the management access token. `currentSession` is
 * the session id of the current browser, if any. Throws the errors of `requireProof`.
 */
export async function changePassword(
  db: PrismaClient,
  secrets: Secrets,
  { actor, user, input, currentSession }: OwnChange<PasswordChange> & { currentSession: string | undefined },
): Promise<void> {
  await requireProof(db, secrets, {
    user,
    password: input.current_password,
    ip: actor.ip,
    session: currentSession,
    field: "current_password",
  });
  const password_hash = await hashPassword(input.password);
  await db.$transaction(async (tx) => {
    // Of two concurrent changes, the second must know the password of the first.
    const { count } = await tx.user.updateMany({
      where: { id: user.id, password_hash: user.password_hash },
      data: { password_hash },
    });
    if (count === 0) throw wrongPassword("current_password");
    await endAccess(tx, secrets, user.id, currentSession);
    await writeAudit(tx, { actor, action: "user.password", targetType: "user", targetId: user.id });
  });
}

interface OwnChange<Input> {
  actor: Actor;
  user: User;
  input: Input;
}

/**
 * Creates a management access token and invalidates the earlier one. The token is shown only once. Throws the
 * errors of `requireStillProven`.
 * @param owner the account as it was when its owner proved to be it
 */
export async function renewAccessToken(
  db: PrismaClient,
  secrets: Secrets,
  actor: Actor,
  owner: Pick<User, "id" | "password_hash">,
): Promise<string> {
  const { id, password_hash: passwordHash } = owner;
  const token = randomText(ACCESS_TOKEN_LENGTH);
  await db.$transaction(async (tx) => {
    await requireStillProven(tx, { id, passwordHash });
    await tx.user.update({ where: { id }, data: { access_token_hash: secrets.hash(token) } });
    await writeAudit(tx, { actor, action: "user.access_token", targetType: "user", targetId: id });
  });
  return token;
}

export async function revokeAccessToken(db: PrismaClient, actor: Actor, userId: number): Promise<void> {
  await db.$transaction(async (tx) => {
    await tx.user.update({ where: { id: userId }, data: { access_token_hash: null } });
    await writeAudit(tx, { actor, action: "user.access_token_revoke", targetType: "user", targetId: userId });
  });
}
