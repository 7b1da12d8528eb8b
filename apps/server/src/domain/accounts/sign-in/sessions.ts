/** Sessions of signed-in browsers. The cookie contains an opaque id; the table contains its keyed hash. */
import { UserStatus } from "@gateway/shared/accounts/user";
import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import { inTransaction } from "#platform/database/transaction.ts";
import type { Prisma, Session, User } from "#platform/prisma/client.ts";
import { randomText, type Secrets } from "#platform/secrets.ts";
import { type Proven, requireStillProven } from "./still-proven.ts";

const DAY_MS = 86_400_000;
export const SESSION_DAYS = 30;
/** Minimum interval between two updates of an active session. In between, requests only read it. */
const TOUCH_MS = 5 * 60_000;

export interface Visitor {
  ip: string;
  userAgent: string;
}

/**
 * Starts a session. Returns the id for the cookie: 256 random bits. Throws the errors of `requireStillProven`.
 */
export async function startSession(
  db: Db,
  secrets: Secrets,
  proven: Proven,
  visitor: Visitor,
): Promise<string> {
  const id = randomText(43);
  const now = currentTime();
  await inTransaction(db, async (tx) => {
    await requireStillProven(tx, proven);
    await tx.session.deleteMany({ where: { user_id: proven.id, expires_at: { lt: now } } });
    await tx.session.create({
      data: {
        id_hash: secrets.hash(id),
        user_id: proven.id,
        created_time: now,
        last_seen: now,
        expires_at: expiryAfter(now),
        ip: visitor.ip.slice(0, 64),
        user_agent: visitor.userAgent.slice(0, 300),
      },
    });
  });
  return id;
}

export interface FoundSession {
  /** The current row, not the one at sign-in. */
  user: User;
  /** Whether the thirty days were restarted, so that the cookie must be sent again. */
  renewed: boolean;
}

/** Returns a valid session of an enabled account, and records that it is in use; otherwise undefined. */
export async function findSession(
  db: Db,
  secrets: Secrets,
  id: string,
  now = currentTime(),
): Promise<FoundSession | undefined> {
  const session = await readSession(db, secrets, id, now);
  if (session === undefined) return undefined;
  const renewed = now.getTime() - session.last_seen.getTime() > TOUCH_MS;
  if (renewed) {
    // `updateMany` instead of an upsert: a session that is revoked concurrently must not be created again.
    await db.session.updateMany({
      where: { id_hash: session.id_hash },
      data: { last_seen: now, expires_at: expiryAfter(now) },
    });
  }
  return { user: session.user, renewed };
}

/** Returns a valid session of an enabled account without recording a use; otherwise undefined. */
export async function readSession(
  db: Db,
  secrets: Secrets,
  id: string,
  now = currentTime(),
): Promise<(Session & { user: User }) | undefined> {
  const id_hash = secrets.hash(id);
  const session = await db.session.findUnique({ where: { id_hash }, include: { user: true } });
  return session === null || session.expires_at <= now || !isActive(session.user) ? undefined : session;
}

export async function endSession(db: Db, secrets: Secrets, id: string): Promise<void> {
  await db.session.deleteMany({ where: { id_hash: secrets.hash(id) } });
}

export interface SessionSummary {
  /** Identifies the session but does not authenticate it. */
  id: string;
  current: boolean;
  created_time: Date;
  last_seen: Date;
  expires_at: Date;
  ip: string;
  user_agent: string;
}

/** @param currentId session id of the current browser, if any */
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

/** Ends one session of this user, by its id from `listSessions`. Returns whether it existed. */
export async function revokeSession(db: Db, userId: number, id: string): Promise<boolean> {
  const id_hash = new Uint8Array(Buffer.from(id, "hex"));
  const { count } = await db.session.deleteMany({ where: { user_id: userId, id_hash } });
  return count > 0;
}

/** Ends all sessions of a user, except the one given. */
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
 * Ends all access that needs no password: sessions (except the current one), the management access token,
 * pending email or browser flows, and approved devices that have not fetched their token.
 */
export async function endAccess(
  tx: Prisma.TransactionClient,
  secrets: Secrets,
  userId: number,
  exceptSession?: string,
): Promise<void> {
  // Locks the account before the sessions are read: a sign-in that has passed its check is seen or waits.
  await tx.user.update({ where: { id: userId }, data: { access_token_hash: null } });
  await revokeSessions(tx, secrets, userId, exceptSession);
  await tx.oneTimeCode.deleteMany({
    where: {
      purpose: { in: ["reset", "sign-in", "sign-in-code", "link", "device"] },
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
