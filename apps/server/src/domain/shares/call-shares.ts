/**
 * Links to a call that are readable without signing in. A link is found by the keyed hash of its secret and ends with
 * its time, its revocation, and the access of whoever shared the call.
 */
import { mayEnter, Role } from "@gateway/shared/accounts/roles";
import type { SharedCall, SharePage, ShareInput, ShareRow } from "@gateway/shared/usage/share";
import { isEnabled, permissionsOf } from "#domain/accounts/users.ts";
import { type Actor, writeAudit } from "#domain/audit-log/audit.ts";
import { findBodies } from "#domain/logs/bodies.ts";
import type { LogView } from "#domain/logs/filter.ts";
import { findCall } from "#domain/logs/find-call.ts";
import { conflict, GatewayError, notFound } from "#errors.ts";
import { currentTime, unixTime } from "#platform/clock.ts";
import { lockCount } from "#platform/database/advisory-locks.ts";
import type { Db, Pool } from "#platform/database/db.ts";
import type { CallShare, Prisma, PrismaClient } from "#platform/prisma/client.ts";
import { randomText, type Secrets } from "#platform/secrets.ts";
import { anonymizeCall } from "./anonymize-call.ts";

type Handles = { db: PrismaClient; pool: Pool; secrets: Secrets };

/** Whoever shares a call, with the rights that the guard found. */
export interface Sharer extends Actor {
  id: number;
  role: number;
  permissions: ReturnType<typeof permissionsOf>;
}

const secretLength = 32;
const hourMs = 3_600_000;
/** Links of one account that can be open at the same time. */
const mostOpen = 200;
/** Ended links are deleted after this time, when the account shares another call. */
const keptDays = 30;

const openNow = (now: Date): Prisma.CallShareWhereInput => ({ revoked_at: null, expires_at: { gt: now } });

/** Returns what a person may see of the log: everything with the right to it, else the own calls. */
function viewOf(person: Pick<Sharer, "id" | "role" | "permissions">): LogView {
  return mayEnter(person, "logs") ? { of: "everybody" } : { of: "owner", userId: person.id, seesTags: false };
}

const ownerOf = (view: LogView) => (view.of === "owner" ? view.userId : undefined);

/**
 * Creates a link. Throws `not_found` for a call that the person may not see, and `conflict` if the bodies are not
 * stored or the account has too many links.
 */
export async function shareCall(
  { db, pool, secrets }: Handles,
  sharer: Sharer,
  id: string,
  { hours, with_bodies }: ShareInput,
): Promise<{ share: ShareRow; secret: string }> {
  const view = viewOf(sharer);
  const call = await findCall(pool, view, id);
  if (with_bodies && (await findBodies(pool, secrets, call.request_id, ownerOf(view))) === null)
    throw conflict({ reason: "bodies_not_kept" });
  const now = currentTime();
  const secret = randomText(secretLength);
  const share = await db.$transaction(async (tx) => {
    await lockCount(tx, `shares:${sharer.id}`);
    await tx.callShare.deleteMany({
      where: { user_id: sharer.id, expires_at: { lt: new Date(now.getTime() - keptDays * 24 * hourMs) } },
    });
    const open = await tx.callShare.count({ where: { user_id: sharer.id, ...openNow(now) } });
    if (open >= mostOpen && sharer.role < Role.admin)
      throw conflict({ reason: "too_many_shares", most: mostOpen });
    const created = await tx.callShare.create({
      data: {
        secret_hash: hashOf(secrets, secret),
        user_id: sharer.id,
        log_id: BigInt(call.id),
        request_id: call.request_id,
        with_bodies,
        expires_at: new Date(now.getTime() + hours * hourMs),
      },
    });
    const target = { targetType: "call_share", targetId: created.id };
    await writeAudit(tx, {
      actor: sharer,
      action: "call.share",
      ...target,
      before: undefined,
      after: describe(created),
    });
    return created;
  });
  return { share: describe(share), secret };
}

/** Returns the open links of an account, newest first. */
export async function listShares(
  db: Db,
  userId: number,
  { page, size }: { page: number; size: number },
): Promise<SharePage> {
  const where = { user_id: userId, ...openNow(currentTime()) };
  const [rows, total_count] = await Promise.all([
    db.callShare.findMany({ where, orderBy: { id: "desc" }, skip: (page - 1) * size, take: size }),
    db.callShare.count({ where }),
  ]);
  return { data: rows.map(describe), page, size, total_count };
}

/** Revokes a link. Throws `not_found` for a link of another account. */
export async function revokeShare(
  db: PrismaClient,
  owner: Actor & { id: number },
  id: number,
): Promise<void> {
  await db.$transaction(async (tx) => {
    const share = await tx.callShare.findFirst({ where: { id, user_id: owner.id } });
    if (share === null) throw notFound({ reason: "share_not_found" });
    if (share.revoked_at !== null) return;
    await tx.callShare.update({ where: { id }, data: { revoked_at: currentTime() } });
    const target = { targetType: "call_share", targetId: id };
    await writeAudit(tx, {
      actor: owner,
      action: "call.revoke_share",
      ...target,
      before: describe(share),
      after: undefined,
    });
  });
}

/**
 * Returns the call of a link, without names of accounts, keys, groups and channels. Throws `not_found` for an unknown
 * link, and `gone` for one that has ended.
 */
export async function openShare({ db, pool, secrets }: Handles, secret: string): Promise<SharedCall> {
  const share = await db.callShare.findUnique({ where: { secret_hash: hashOf(secrets, secret) } });
  if (share === null) throw notFound({ reason: "share_not_found" });
  if (share.revoked_at !== null) throw new GatewayError("gone", { reason: "share_revoked" });
  if (share.expires_at <= currentTime()) throw new GatewayError("gone", { reason: "share_expired" });
  const sharer = await db.user.findFirst({ where: { id: share.user_id, deleted_at: null } });
  if (sharer === null || !isEnabled(sharer)) throw unavailable();
  const view = viewOf({ id: sharer.id, role: sharer.role, permissions: permissionsOf(sharer) });
  // Owners see no attempts in their log. The link shows them without their channels.
  const call = await findCall(pool, { of: "everybody" }, share.log_id.toString()).catch(throwUnavailable);
  if (view.of === "owner" && call.user_id !== view.userId) throw unavailable();
  const bodies = share.with_bodies ? await findBodies(pool, secrets, call.request_id, ownerOf(view)) : null;
  return {
    call: anonymizeCall(call, { withContent: share.with_bodies }),
    bodies,
    expires_at: unixTime(share.expires_at),
  };
}

function throwUnavailable(error: unknown): never {
  throw error instanceof GatewayError && error.code === "not_found" ? unavailable() : error;
}

function unavailable(): GatewayError {
  return new GatewayError("gone", { reason: "share_unavailable" });
}

function hashOf(secrets: Secrets, secret: string): Uint8Array<ArrayBuffer> {
  return secrets.hash(`share:${secret}`);
}

function describe(share: CallShare): ShareRow {
  return {
    id: share.id,
    request_id: share.request_id,
    with_bodies: share.with_bodies,
    created_time: unixTime(share.created_time),
    expires_at: unixTime(share.expires_at),
  };
}
