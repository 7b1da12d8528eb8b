/** Finds accounts by credentials or names, and reads them for the console. */
import { Permissions } from "@gateway/shared/accounts/permissions";
import { Role } from "@gateway/shared/accounts/roles";
import { UserStatus } from "@gateway/shared/accounts/user";
import { addToInbox } from "#domain/inbox/entries.ts";
import { forbidden, GatewayError, notFound } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import type { Prisma, User } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import { takeGuess } from "./sign-in/password-guesses.ts";
import { hashPassword, isForeignHash, passwordMatches } from "./sign-in/passwords.ts";
import { requireSecondFactor } from "./sign-in/second-factor.ts";
import type { Proven } from "./sign-in/still-proven.ts";

export function isEnabled(user: User): boolean {
  return user.status === UserStatus.enabled;
}

/** Returns the stored rights. Null means everything that the role allows. Unreadable rights allow nothing. */
export function permissionsOf({ permissions }: Pick<User, "permissions">): Permissions | null {
  return permissions === null ? null : (Permissions.safeParse(permissions).data ?? {});
}

export function userDisabled(): GatewayError {
  return new GatewayError("user_disabled");
}

export interface PasswordLogin {
  /** User name, or else the name before an import, or else email address. */
  username: string;
  password: string;
  /** Code of the authenticator app, or a recovery code; "" if there is none. */
  code: string;
  ip: string;
  /** Root may always sign in with a password, to be able to enable this setting again. */
  passwordLoginEnabled: boolean;
}

/**
 * Signs a user in with a password. Throws `wrong_credentials` (the same, after the same work, for unknown
 * users), `rate_limit_exceeded`, `user_disabled` or `forbidden`. Throws `totp_required` or `totp_wrong` only
 * if the password was correct.
 */
export async function logIn(
  db: Db,
  secrets: Secrets,
  input: PasswordLogin,
): Promise<{ user: User; proven: Proven }> {
  const user = await findByName(db, input.username);
  const guess = await takeGuess(db, secrets, { name: input.username, user, ip: input.ip });
  const hasImported = (await db.import.findFirst({ select: { id: true } })) !== null;
  if (!(await passwordMatches(user?.password_hash, input.password, hasImported)) || user === null) {
    throw new GatewayError("wrong_credentials", { reason: "user_name_or_password_wrong" });
  }
  await guess.right();
  if (!isEnabled(user)) throw userDisabled();
  if (!input.passwordLoginEnabled && user.role < Role.root) {
    throw forbidden({ reason: "password_sign_in_off" });
  }
  await requireSecondFactor(db, secrets, user, input.code);
  const passwordHash = await renewHash(db, user, input.password);
  return { user: await recordSignIn(db, user.id, input.ip), proven: { id: user.id, passwordHash } };
}

/**
 * Replaces an imported hash, unless the password changed in the meantime. Returns the hash that the password
 * matches.
 */
async function renewHash(db: Db, { id, password_hash }: User, password: string): Promise<string | null> {
  if (!isForeignHash(password_hash)) return password_hash;
  const renewed = await hashPassword(password);
  const { count } = await db.user.updateMany({
    where: { id, password_hash },
    data: { password_hash: renewed },
  });
  if (count > 0) return renewed;
  // Another sign-in replaced it first.
  const now = await getUser(db, id);
  return (await passwordMatches(now.password_hash, password)) ? now.password_hash : password_hash;
}

/** Records a sign-in. A sign-in from a new address also adds an inbox entry for the user. */
export async function recordSignIn(db: Db, userId: number, ip: string): Promise<User> {
  const before = await db.user.findUnique({
    where: { id: userId },
    select: {
      last_login_time: true,
      last_login_ip: true,
      sessions: { where: { ip: ip.slice(0, 64) }, take: 1, select: { ip: true } },
    },
  });
  const known = before === null || before.last_login_time === null || before.sessions.length > 0;
  if (!known && before.last_login_ip !== ip.slice(0, 64))
    await addToInbox(db, userId, { event: "new-sign-in", topic: `ip:${ip}`, facts: { ip } });
  return db.user.update({
    where: { id: userId },
    data: { last_login_time: currentTime(), last_login_ip: ip.slice(0, 64) },
  });
}

async function findByName(db: Db, name: string): Promise<User | null> {
  return (
    (await db.user.findFirst({ where: { username: name, deleted_at: null } })) ??
    (await db.user.findFirst({ where: { imported_username: name, deleted_at: null } })) ??
    (await db.user.findFirst({ where: { email: name.toLowerCase(), deleted_at: null } }))
  );
}

/** Returns the owner of a management access token; null if no enabled account has it. */
export async function findByAccessToken(db: Db, secrets: Secrets, token: string): Promise<User | null> {
  if (token === "") return null;
  const where = { access_token_hash: secrets.hash(token), deleted_at: null, status: UserStatus.enabled };
  return db.user.findFirst({ where });
}

/** Returns a user. Throws `not_found`. */
export async function getUser(db: Db, id: number): Promise<User> {
  const user = await db.user.findFirst({ where: { id, deleted_at: null } });
  if (user === null) throw notFound({ reason: "user_not_found" });
  return user;
}

/**
 * Returns the row, locked until the transaction ends, so that changes of one account run one after the other.
 */
export async function lockUser(tx: Prisma.TransactionClient, id: number): Promise<User> {
  await tx.$executeRaw`SELECT 1 FROM users WHERE id = ${id} FOR UPDATE`;
  return getUser(tx, id);
}

export type ListedUser = User & { providers: string[] };

export function withProviders(row: User & { identities: { provider: string }[] }): ListedUser {
  return { ...row, providers: row.identities.map((identity) => identity.provider) };
}

export interface UserInDetail extends ListedUser {
  identities: { provider: string; label: string; created_time: Date }[];
  inviter: { id: number; username: string } | null;
  token_count: number;
  passkey_count: number;
}

/** Returns a user with its identities and counts. Throws `not_found`. */
export async function describeUser(db: Db, id: number): Promise<UserInDetail> {
  const row = await db.user.findFirst({
    where: { id, deleted_at: null },
    include: {
      identities: { orderBy: { provider: "asc" } },
      inviter: { select: { id: true, username: true } },
      _count: { select: { tokens: { where: { deleted_at: null } }, passkeys: true } },
    },
  });
  if (row === null) throw notFound({ reason: "user_not_found" });
  const { _count: counts, ...user } = row;
  return { ...withProviders(row), ...user, token_count: counts.tokens, passkey_count: counts.passkeys };
}
