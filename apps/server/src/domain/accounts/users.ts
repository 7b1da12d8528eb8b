import { Role } from "@gateway/shared/roles";
import { GatewayError, notFound } from "#errors.ts";
import type { Db } from "#platform/db.ts";
import type { Prisma, User } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import { passwordMatches } from "./passwords.ts";

/** Accounts: finding one by what somebody presents, and reading them for the console. */

export const UserStatus = { enabled: 1, disabled: 2 } as const;

export function isEnabled(user: User): boolean {
  return user.status === UserStatus.enabled;
}

export function userDisabled(): GatewayError {
  return new GatewayError("user_disabled", "This account is disabled. Ask an administrator.");
}

export interface PasswordLogin {
  /** User name, else e-mail address. */
  username: string;
  password: string;
  ip: string;
  /** Root may always sign in with a password: somebody must be able to switch it on again. */
  passwordLoginEnabled: boolean;
}

/** Throws `wrong_credentials` (the same, after the same work, for unknown users), `user_disabled` or `forbidden`. */
export async function logIn(db: Db, input: PasswordLogin): Promise<User> {
  const user = await findByName(db, input.username);
  if (!(await passwordMatches(user?.password_hash, input.password)) || user === null) {
    throw new GatewayError("wrong_credentials", "The user name or the password is wrong.");
  }
  if (!isEnabled(user)) throw userDisabled();
  if (!input.passwordLoginEnabled && user.role < Role.root) {
    throw new GatewayError("forbidden", "Signing in with a password is switched off.");
  }
  return noteLogin(db, user.id, input.ip);
}

export async function noteLogin(db: Db, userId: number, ip: string): Promise<User> {
  return db.user.update({
    where: { id: userId },
    data: { last_login_time: new Date(), last_login_ip: ip.slice(0, 64) },
  });
}

async function findByName(db: Db, name: string): Promise<User | null> {
  return (
    (await db.user.findFirst({ where: { username: name, deleted_at: null } })) ??
    (await db.user.findFirst({ where: { email: name, deleted_at: null } }))
  );
}

/** The owner of a management access token. */
export async function findByAccessToken(db: Db, secrets: Secrets, token: string): Promise<User | null> {
  return db.user.findFirst({ where: { access_token_hash: secrets.hash(token), deleted_at: null } });
}

/** Throws `not_found`. */
export async function getUser(db: Db, id: number): Promise<User> {
  const user = await db.user.findFirst({ where: { id, deleted_at: null } });
  if (user === null) throw notFound("User");
  return user;
}

export interface UserSearch {
  keyword: string;
  skip: number;
  take: number;
  orderBy: Prisma.UserOrderByWithRelationInput[];
}

/** The keyword is an id, or the beginning of a user name, display name, e-mail address or group. */
export async function listUsers(db: Db, search: UserSearch): Promise<{ rows: User[]; total: number }> {
  const where: Prisma.UserWhereInput = { deleted_at: null };
  if (search.keyword !== "") {
    const begins = { startsWith: search.keyword, mode: "insensitive" as const };
    where.OR = [{ username: begins }, { display_name: begins }, { email: begins }, { group: begins }];
    const id = Number(search.keyword);
    if (Number.isInteger(id) && id > 0 && id < 2 ** 31) where.OR.push({ id });
  }
  const { skip, take, orderBy } = search;
  const [rows, total] = await Promise.all([
    db.user.findMany({ where, skip, take, orderBy }),
    db.user.count({ where }),
  ]);
  return { rows, total };
}
