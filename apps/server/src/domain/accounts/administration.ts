/** Administration of user accounts. `authority.ts` decides who may change what. */
import { isDeepStrictEqual } from "node:util";
import { Role } from "@gateway/shared/accounts/roles";
import { type UserAction, type UserChange, type UserInput, UserStatus } from "@gateway/shared/accounts/user";
import { reasonOf } from "@gateway/shared/reasons";
import { type Actor, writeAudit } from "#domain/audit-log/audit.ts";
import { credit } from "#domain/ledger/balances/credit.ts";
import { conflict, forbidden, invalidRequest, notFound } from "#errors.ts";
import { announce } from "#platform/announcements.ts";
import { currentTime } from "#platform/clock.ts";
import { lockGroups } from "#platform/database/group-locks.ts";
import { Prisma, type PrismaClient, type User } from "#platform/prisma/client.ts";
import { randomText, type Secrets } from "#platform/secrets.ts";
import {
  type AccountChange,
  type Administrator,
  columnsOfRole,
  requireMayChange,
  requireMayCreate,
} from "./authority.ts";
import { emailTakenError } from "./email.ts";
import { isEmailTaken } from "./mail-codes.ts";
import { giveGifts, insertUser, requireFreeName, explainDuplicate } from "./new-user.ts";
import { hashPassword } from "./sign-in/passwords.ts";
import { removeTotp } from "./sign-in/second-factor.ts";
import { endAccess } from "./sign-in/sessions.ts";
import { lockUser, permissionsOf } from "./users.ts";

type Tx = Prisma.TransactionClient;

/**
 * Locks an account to change, and checks that the administrator still has the rights of the request. Without it,
 * two administrators could remove each other in the same moment. Throws `not_found` or `forbidden`.
 */
export async function lockTarget(tx: Tx, actor: Administrator, id: number): Promise<User> {
  // In the order of the ids, so that two administrators who change each other do not wait for each other.
  if (actor.id < id) await requireCurrent(tx, actor);
  const target = await lockUser(tx, id);
  if (actor.id >= id) await requireCurrent(tx, actor);
  return target;
}

async function requireCurrent(tx: Tx, actor: Administrator): Promise<void> {
  // Waits for `lockUser` of others, and not for the ledger, which changes no key.
  await tx.$executeRaw`SELECT 1 FROM users WHERE id = ${actor.id} FOR KEY SHARE`;
  const user = await tx.user.findFirst({
    where: { id: actor.id, deleted_at: null, status: UserStatus.enabled },
  });
  if (user?.role === actor.role && isDeepStrictEqual(permissionsOf(user), actor.permissions)) return;
  throw forbidden({ reason: "rights_missing" });
}

/** Creates a user. Throws `forbidden`, `conflict` (name taken) or `invalid_request` (unknown group). */
export async function createUser(
  db: PrismaClient,
  actor: Administrator,
  input: UserInput,
  newUserGift: number,
): Promise<User> {
  const { permissions } = input;
  requireMayCreate(actor, input);
  const passwordHash = await hashPassword(input.password);
  return db.$transaction(async (tx) => {
    await requireGroup(tx, input.group);
    const created = await insertUser(tx, {
      username: input.username,
      passwordHash,
      displayName: input.display_name,
      group: input.group,
      role: input.role,
    });
    const user = permissions
      ? await tx.user.update({ where: { id: created.id }, data: { permissions } })
      : created;
    await auditUser(tx, actor, "user.create", user, { after: auditedFields(user) });
    await giveGifts(tx, user, { newUser: newUserGift, invitee: 0, inviter: 0 });
    if (input.quota > 0) {
      await credit(tx, {
        userId: user.id,
        kind: "admin",
        amount: BigInt(input.quota),
        reference: `new-user:${user.id}`,
        reason: reasonOf("initialBalance"),
        actorId: actor.id,
        ip: actor.ip,
      });
    }
    return tx.user.findUniqueOrThrow({ where: { id: user.id } });
  });
}

/**
 * Changes a user. A new password ends all sessions and deletes the access token of the account. Throws the
 * errors of `createUser`, and `not_found`.
 * @param also further changes in the same transaction
 */
export async function changeUser(
  db: PrismaClient,
  secrets: Secrets,
  actor: Administrator,
  change: UserChange,
  also?: (tx: Tx) => Promise<void>,
): Promise<void> {
  const { password = "" } = change;
  const passwordHash = password === "" ? undefined : await hashPassword(password);
  await db.$transaction(async (tx) => {
    const before = await lockTarget(tx, actor, change.id);
    for (const part of partsOf(before, change)) requireMayChange(actor, before, part);
    if (change.username !== undefined) await requireFreeName(tx, change.username, change.id);
    if (change.group !== undefined && change.group !== before.group) await requireGroup(tx, change.group);
    if (change.email !== undefined && (await isEmailTaken(tx, change.email, change.id)))
      throw emailTakenError();
    const updated = tx.user.update({
      where: { id: change.id },
      data: {
        ...(change.username === undefined ? {} : { username: change.username, imported_username: null }),
        ...(change.display_name === undefined ? {} : { display_name: change.display_name }),
        ...(change.group === undefined ? {} : { group: change.group }),
        ...(isOther(change.role, before.role) ? columnsOfRole(actor, before, change.role) : {}),
        ...(change.status === undefined ? {} : { status: change.status }),
        ...(change.email === undefined ? {} : { email: change.email }),
        ...(change.avatar_url === undefined ? {} : { avatar_url: change.avatar_url }),
        ...(passwordHash === undefined ? {} : { password_hash: passwordHash }),
        ...(change.permissions === undefined ? {} : { permissions: change.permissions ?? Prisma.DbNull }),
      },
    });
    const after = await updated.catch((error: unknown) => {
      throw explainDuplicate(error);
    });
    if (passwordHash !== undefined || after.status !== UserStatus.enabled)
      await endAccess(tx, secrets, change.id);
    await auditUser(tx, actor, "user.change", after, {
      before: auditedFields(before),
      after: { ...auditedFields(after), ...(passwordHash === undefined ? {} : { password: "changed" }) },
    });
    await announce(tx, "users", change.id);
    await also?.(tx);
  });
}

function isOther<T>(value: T | undefined, now: unknown): value is T {
  return value !== undefined && value !== now;
}

/** Returns what a change would change; at least the profile, so that every change is checked. */
function partsOf(before: User, change: UserChange): AccountChange[] {
  const { password, permissions } = change;
  const access =
    isOther(change.status, before.status) ||
    isOther(change.email, before.email) ||
    (password !== undefined && password !== "");
  const profile = (["username", "display_name", "group", "avatar_url"] as const).some((name) =>
    isOther(change[name], before[name]),
  );
  const parts: AccountChange[] = [];
  if (isOther(change.role, before.role)) parts.push({ part: "role", role: change.role });
  if (access) parts.push({ part: "access" });
  if (permissions !== undefined) parts.push({ part: "permissions", role: change.role ?? before.role });
  return profile || parts.length === 0 ? [...parts, { part: "profile" }] : parts;
}

/** Executes one action of the user list. Returns the updated row. */
export async function manageUser(
  db: PrismaClient,
  secrets: Secrets,
  actor: Administrator,
  input: { username: string; action: UserAction },
): Promise<User> {
  const { username, action } = input;
  const found = await db.user.findFirst({ where: { username, deleted_at: null }, select: { id: true } });
  if (found === null) throw notFound({ reason: "user_not_found" });
  if (action === "delete") return deleteUser(db, secrets, actor, found.id);
  if (action === "reset_totp") return resetTotp(db, actor, found.id);
  return db.$transaction(async (tx) => {
    const before = await lockTarget(tx, actor, found.id);
    const change = changeOf[action];
    requireMayChange(actor, before, "role" in change ? { part: "role", ...change } : { part: "access" });
    const data = "role" in change ? columnsOfRole(actor, before, change.role) : change;
    const after = await tx.user.update({ where: { id: before.id }, data });
    // Disabled sessions are rejected anyway. Ending them prevents their return when the account is enabled
    // again.
    if (action === "disable") await endAccess(tx, secrets, before.id);
    await auditUser(tx, actor, `user.${action}`, after, {
      before: auditedFields(before),
      after: auditedFields(after),
    });
    await announce(tx, "users", before.id);
    return after;
  });
}

type SimpleAction = Exclude<UserAction, "delete" | "reset_totp">;

const changeOf: Readonly<Record<SimpleAction, { role: number } | { status: number }>> = {
  disable: { status: UserStatus.disabled },
  enable: { status: UserStatus.enabled },
  promote: { role: Role.admin },
  demote: { role: Role.user },
  set_reliable: { role: Role.reliable },
};

/** Deletes a user. Throws `not_found` or `forbidden`. */
export async function deleteUser(
  db: PrismaClient,
  secrets: Secrets,
  actor: Administrator,
  id: number,
): Promise<User> {
  return db.$transaction(async (tx) => {
    const before = await lockTarget(tx, actor, id);
    requireMayChange(actor, before, { part: "access" });
    return removeAccount(tx, secrets, actor, before);
  });
}

/**
 * Marks a user as deleted, ends all access and frees the name. The row stays, because logs and ledger entries
 * refer to it. The caller has checked the right to do so.
 * @param before locked by this transaction
 */
export async function removeAccount(tx: Tx, secrets: Secrets, actor: Actor, before: User): Promise<User> {
  const { id } = before;
  const now = currentTime();
  const after = await tx.user.update({
    where: { id },
    data: {
      username: `${before.username.slice(0, 50)}_del_${randomText(6)}`,
      imported_username: null,
      email: null,
      password_hash: null,
      access_token_hash: null,
      totp_enabled: false,
      totp_secret: null,
      status: UserStatus.disabled,
      deleted_at: now,
    },
  });
  await endAccess(tx, secrets, id);
  await tx.identity.deleteMany({ where: { user_id: id } });
  await tx.scimUser.deleteMany({ where: { user_id: id } });
  await tx.passkey.deleteMany({ where: { user_id: id } });
  await tx.recoveryCode.deleteMany({ where: { user_id: id } });
  await tx.token.updateMany({ where: { user_id: id, deleted_at: null }, data: { deleted_at: now } });
  await auditUser(tx, actor, "user.delete", before, {
    before: { ...auditedFields(before), email: before.email },
  });
  await announce(tx, "users", id);
  return after;
}

async function resetTotp(db: PrismaClient, actor: Administrator, id: number): Promise<User> {
  return db.$transaction(async (tx) => {
    const user = await lockTarget(tx, actor, id);
    requireMayChange(actor, user, { part: "access" });
    if (!user.totp_enabled) throw conflict({ reason: "totp_off" });
    await removeTotp(tx, actor, id);
    return tx.user.findUniqueOrThrow({ where: { id } });
  });
}

/** Ends one session of another user, or all if no id is given. Returns whether any session ended. */
export async function endSessionsOf(
  db: PrismaClient,
  actor: Administrator,
  userId: number,
  sessionId?: string,
): Promise<boolean> {
  return db.$transaction(async (tx) => {
    const user = await lockTarget(tx, actor, userId);
    requireMayChange(actor, user, { part: "access" });
    const { count } = await tx.session.deleteMany({
      where: {
        user_id: userId,
        ...(sessionId === undefined ? {} : { id_hash: new Uint8Array(Buffer.from(sessionId, "hex")) }),
      },
    });
    if (count > 0) await auditUser(tx, actor, "user.sessions_end", user, { after: { ended: count } });
    return count > 0;
  });
}

async function requireGroup(tx: Tx, symbol: string): Promise<void> {
  if ((await lockGroups(tx, [symbol])).has(symbol)) return;
  throw invalidRequest({ reason: "group_unknown" }, { field: "group" });
}

function auditedFields({ username, display_name, group, role, status, email, permissions }: User) {
  return { username, display_name, group, role, status, email, permissions };
}

async function auditUser(
  tx: Tx,
  actor: Actor,
  action: string,
  target: { id: number },
  change: { before?: unknown; after?: unknown },
): Promise<void> {
  await writeAudit(tx, { actor, action, targetType: "user", targetId: target.id, ...change });
}
