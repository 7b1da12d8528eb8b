/**
 * Link of a user's Telegram account, created with a code shown to the signed-in user. It is no sign-in
 * method: it only lets the bot show users their own data.
 */
import { bindIdentity } from "#domain/accounts/sign-in/identities.ts";
import { isEnabled, lockUser } from "#domain/accounts/users.ts";
import { type Actor, writeAudit } from "#domain/audit-log/audit.ts";
import { notFound } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import type { Identity, PrismaClient, User } from "#platform/prisma/client.ts";
import { randomText, type Secrets } from "#platform/secrets.ts";

const PROVIDER = "telegram";
const PURPOSE = "telegram-bind";
/** Too long to guess, so attempts are not counted. */
const CODE_LENGTH = 16;
export const LINK_MINUTES = 10;

export interface TelegramPerson {
  id: number;
  /** Display name at Telegram. */
  label: string;
}

/** Creates a link code and invalidates the previous one. */
export async function issueLinkCode(db: Db, secrets: Secrets, userId: number): Promise<string> {
  const code = randomText(CODE_LENGTH);
  const row = {
    code_hash: hashOf(secrets, code),
    expires_at: new Date(currentTime().getTime() + LINK_MINUTES * 60_000),
  };
  await db.oneTimeCode.upsert({
    where: { purpose_subject: { purpose: PURPOSE, subject: String(userId) } },
    create: { purpose: PURPOSE, subject: String(userId), ...row },
    update: row,
  });
  return code;
}

/**
 * Links the sender to the user who got the code; the code is consumed in any case. Returns undefined if it is
 * wrong or expired, or its owner may not sign in. Throws `conflict` if either side is already linked.
 */
export async function linkByCode(
  db: PrismaClient,
  secrets: Secrets,
  person: TelegramPerson,
  code: string,
): Promise<User | undefined> {
  const [row] = await db.$queryRaw<{ subject: string; expires_at: Date }[]>`
    DELETE FROM one_time_codes WHERE purpose = ${PURPOSE} AND code_hash = ${hashOf(secrets, code)}
    RETURNING subject, expires_at`;
  if (row === undefined || row.expires_at <= currentTime()) return undefined;
  const user = await db.user.findUnique({ where: { id: Number(row.subject) } });
  if (user === null || !mayUse(user)) return undefined;
  const { id: subject, label } = person;
  const identity = { subject: String(subject), label, username: label, displayName: label, email: null };
  await bindIdentity(db, actorOf(user), { provider: PROVIDER, identity });
  return user;
}

/** Returns the linked user; undefined for an unknown Telegram account and for a disabled user. */
export async function linkedUser(db: Db, telegramId: number): Promise<User | undefined> {
  const found = await db.identity.findUnique({
    where: { provider_subject: { provider: PROVIDER, subject: String(telegramId) } },
    include: { user: true },
  });
  return found !== null && mayUse(found.user) ? found.user : undefined;
}

export async function findLink(db: Db, userId: number): Promise<Identity | null> {
  return db.identity.findFirst({ where: { user_id: userId, provider: PROVIDER } });
}

/** Removes the link. Throws `not_found`. It is no sign-in method, so it may always be removed. */
export async function unlink(db: PrismaClient, actor: Actor & { id: number }): Promise<void> {
  await db.$transaction(async (tx) => {
    await lockUser(tx, actor.id);
    const bound = await findLink(tx, actor.id);
    if (bound === null) throw notFound({ reason: "binding_not_found" });
    await tx.identity.delete({ where: { id: bound.id } });
    await writeAudit(tx, {
      actor,
      action: "user.unbind",
      targetType: "user",
      targetId: actor.id,
      before: { provider: PROVIDER, label: bound.label },
    });
  });
}

/**
 * Returns the actor for messages to the bot: the linked user. The IP address is unknown, so it is "telegram".
 */
export function actorOf({ id, username }: Pick<User, "id" | "username">): Actor & { id: number } {
  return { id, username, ip: PROVIDER };
}

function mayUse(user: User): boolean {
  return isEnabled(user) && user.deleted_at === null;
}

function hashOf(secrets: Secrets, code: string): Uint8Array<ArrayBuffer> {
  return secrets.hash(`${PURPOSE}:${code}`);
}
