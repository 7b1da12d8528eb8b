import { UserStatus } from "@gateway/shared/accounts/user";
import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import type { Prisma, User } from "#platform/prisma/client.ts";
import { randomText, type Secrets } from "#platform/secrets.ts";

/** Signed-in browsers. The cookie holds an opaque id; the table holds its keyed hash. */

const DAY_MS = 86_400_000;
export const SESSION_DAYS = 30;
/** How often a session in use is written down; between two writes a request only reads. */
const TOUCH_MS = 5 * 60_000;

export interface Visitor {
  ip: string;
  userAgent: string;
}

/** Answers the id for the cookie: 256 random bits. */
export async function startSession(
  db: Db,
  secrets: Secrets,
  userId: number,
  visitor: Visitor,
): Promise<string> {
  const id = randomText(43);
  const now = currentTime();
  await db.session.deleteMany({ where: { user_id: userId, expires_at: { lt: now } } });
  await db.session.create({
    data: {
      id_hash: secrets.hash(id),
      user_id: userId,
      created_time: now,
      last_seen: now,
      expires_at: expiryAfter(now),
      ip: visitor.ip.slice(0, 64),
      user_agent: visitor.userAgent.slice(0, 300),
    },
  });
  return id;
}

export interface FoundSession {
  /** As it is now, not as it was at sign-in. */
  user: User;
  /** The thirty days have begun anew: send the cookie again. */
  renewed: boolean;
}

/** Undefined for a session that does not open an enabled account. */
export async function findSession(
  db: Db,
  secrets: Secrets,
  id: string,
  now = currentTime(),
): Promise<FoundSession | undefined> {
  const id_hash = secrets.hash(id);
  const session = await db.session.findUnique({ where: { id_hash }, include: { user: true } });
  if (session === null || session.expires_at <= now || !isActive(session.user)) return undefined;
  const renewed = now.getTime() - session.last_seen.getTime() > TOUCH_MS;
  if (renewed) {
    // A session that is revoked this very moment must not come back, hence no upsert.
    await db.session.updateMany({
      where: { id_hash },
      data: { last_seen: now, expires_at: expiryAfter(now) },
    });
  }
  return { user: session.user, renewed };
}

export async function endSession(db: Db, secrets: Secrets, id: string): Promise<void> {
  await db.session.deleteMany({ where: { id_hash: secrets.hash(id) } });
}

export interface SessionSummary {
  /** Names the session without opening it. */
  id: string;
  current: boolean;
  created_time: Date;
  last_seen: Date;
  expires_at: Date;
  ip: string;
  user_agent: string;
}

/** @param currentId the asking browser's own session id, if it has one */
export async function listSessions(
  db: Db,
  secrets: Secrets,
  userId: number,
  currentId = "",
): Promise<SessionSummary[]> {
  const current = hex(secrets.hash(currentId));
  const rows = await db.session.findMany({
    where: { user_id: userId, expires_at: { gt: currentTime() } },
    orderBy: { last_seen: "desc" },
  });
  return rows.map(({ id_hash, created_time, last_seen, expires_at, ip, user_agent }) => {
    const id = hex(id_hash);
    return { id, current: id === current, created_time, last_seen, expires_at, ip, user_agent };
  });
}

/** Ends one session of this user, named as `listSessions` names it. Answers whether there was one. */
export async function revokeSession(db: Db, userId: number, id: string): Promise<boolean> {
  const id_hash = new Uint8Array(Buffer.from(id, "hex"));
  const { count } = await db.session.deleteMany({ where: { user_id: userId, id_hash } });
  return count > 0;
}

/** Signs a user out everywhere, except in the browser that asks when its session id is given. */
export async function revokeSessions(
  db: Db,
  secrets: Secrets,
  userId: number,
  exceptId?: string,
): Promise<void> {
  const where: Prisma.SessionWhereInput = { user_id: userId };
  if (exceptId !== undefined) where.id_hash = { not: secrets.hash(exceptId) };
  await db.session.deleteMany({ where });
}

/**
 * Ends everything that opens the account without its password: sessions (except the one that asks), the management
 * access token, and what was begun by mail or in a browser.
 */
export async function endAccess(
  tx: Prisma.TransactionClient,
  secrets: Secrets,
  userId: number,
  exceptSession?: string,
): Promise<void> {
  await revokeSessions(tx, secrets, userId, exceptSession);
  await tx.user.update({ where: { id: userId }, data: { access_token_hash: null } });
  await tx.oneTimeCode.deleteMany({
    where: {
      purpose: { in: ["reset", "sign-in", "sign-in-code", "link"] },
      payload: { path: ["user_id"], equals: userId },
    },
  });
  await tx.oneTimeCode.deleteMany({ where: { purpose: "telegram-bind", subject: String(userId) } });
}

function expiryAfter(now: Date): Date {
  return new Date(now.getTime() + SESSION_DAYS * DAY_MS);
}

function isActive({ status, deleted_at }: User): boolean {
  return status === UserStatus.enabled && deleted_at === null;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
