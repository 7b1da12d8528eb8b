/**
 * Codes that credit an amount to the first user who redeems them. Codes are found by their keyed hash.
 * Administrators of codes can read them, because they hand them out.
 */
import { randomBytes } from "node:crypto";
import {
  type RedemptionChange,
  type RedemptionInput,
  type RedemptionRow,
  RedemptionStatus,
} from "@gateway/shared/billing/redemption";
import { reasonOf } from "@gateway/shared/reasons";
import { type Actor, createAuditor, writeAudit } from "#domain/audit-log/audit.ts";
import { promoteUser } from "#domain/credits/promotion.ts";
import { credit } from "#domain/ledger/balances/credit.ts";
import { conflict, type GatewayError, invalidRequest, notFound } from "#errors.ts";
import { currentTime, unixTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import { startsWithText } from "#platform/database/text-search.ts";
import type { Prisma, PrismaClient, Redemption } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";

const auditRedemption = createAuditor<Redemption>("redemption", ({ id }) => id);

const CODE_BYTES = 16;
const DAY_MS = 86_400_000;

/** Creates all codes or none. Returns the rows in the order of creation. */
export async function createRedemptions(
  db: PrismaClient,
  secrets: Secrets,
  actor: Actor & { id: number },
  input: RedemptionInput,
): Promise<RedemptionRow[]> {
  const rows = Array.from({ length: input.count }, () => {
    const key = randomBytes(CODE_BYTES).toString("hex");
    const { name, quota, expires_at } = input;
    return { name, quota: BigInt(quota), expires_at: dateOf(expires_at), ...sealCode(secrets, key) };
  });
  return db.$transaction(async (tx) => {
    const created = await tx.redemption.createManyAndReturn({
      data: rows.map((row) => ({ ...row, user_id: actor.id })),
    });
    await writeAudit(tx, {
      actor,
      action: "redemption.create",
      targetType: "redemption",
      targetId: created[0]?.id ?? "",
      after: { name: input.name, quota: input.quota, count: input.count, expires_at: input.expires_at },
    });
    return created.map((row) => describeRedemption(secrets, row));
  });
}

/** Changes the given fields. Throws `conflict` when the code was already redeemed. */
export async function changeRedemption(
  db: PrismaClient,
  actor: Actor,
  id: number,
  { name, quota, expires_at }: Partial<RedemptionChange>,
): Promise<Redemption> {
  return changeUnused(db, actor, id, "redemption.change", {
    name,
    quota: quota === undefined ? undefined : BigInt(quota),
    expires_at: expires_at === undefined ? undefined : dateOf(expires_at),
  });
}

/** Throws `conflict` when the code was already redeemed. */
export async function switchRedemption(
  db: PrismaClient,
  actor: Actor,
  id: number,
  status: 1 | 2,
): Promise<Redemption> {
  return changeUnused(db, actor, id, "redemption.switch", { status });
}

export async function deleteRedemption(db: PrismaClient, actor: Actor, id: number): Promise<void> {
  await db.$transaction(async (tx) => {
    const before = await getRedemption(tx, id);
    await tx.redemption.delete({ where: { id } });
    await auditRedemption(tx, actor, "redemption.delete", before, undefined);
  });
}

/** Throws `not_found`. */
export async function getRedemption(db: Db, id: number): Promise<Redemption> {
  const found = await db.redemption.findUnique({ where: { id } });
  if (found === null) throw notFound({ reason: "redemption_not_found" });
  return found;
}

export interface RedemptionSearch {
  /** An id, or a prefix of the name. */
  keyword: string;
  /** 0 means all. */
  status: number;
  skip: number;
  take: number;
  orderBy: Prisma.RedemptionOrderByWithRelationInput[];
}

export async function listRedemptions(
  db: Db,
  secrets: Secrets,
  search: RedemptionSearch,
): Promise<{ rows: RedemptionRow[]; total: number }> {
  const where: Prisma.RedemptionWhereInput = {};
  if (search.status !== 0) where.status = search.status;
  if (search.keyword !== "") {
    where.OR = [{ name: startsWithText(search.keyword) }];
    const id = Number(search.keyword);
    if (Number.isInteger(id) && id > 0 && id < 2 ** 31) where.OR.push({ id });
  }
  const { skip, take, orderBy } = search;
  const [rows, total] = await Promise.all([
    db.redemption.findMany({ where, skip, take, orderBy }),
    db.redemption.count({ where }),
  ]);
  const redeemers = await db.user.findMany({
    where: { id: { in: rows.flatMap((row) => row.redeemed_by ?? []) } },
    select: { id: true, username: true },
  });
  const names = new Map(redeemers.map((user) => [user.id, user.username]));
  return {
    rows: rows.map((row) => describeRedemption(secrets, row, names.get(row.redeemed_by ?? 0))),
    total,
  };
}

export function openCode(
  secrets: Secrets,
  { key_hash, key_encrypted }: Pick<Redemption, "key_hash" | "key_encrypted">,
): string {
  return secrets.decrypt(key_encrypted, contextOf(key_hash));
}

/** Returns a code's stored form: a keyed hash for lookups and an encrypted copy for display. */
export function sealCode(secrets: Secrets, key: string) {
  const key_hash = secrets.hash(key);
  return { key_hash, key_encrypted: secrets.encrypt(key, contextOf(key_hash)) };
}

export function describeRedemption(secrets: Secrets, row: Redemption, redeemer = ""): RedemptionRow {
  return {
    id: row.id,
    name: row.name,
    key: openCode(secrets, row),
    status: row.status,
    quota: Number(row.quota),
    user_id: row.user_id,
    redeemed_by: row.redeemed_by,
    redeemer,
    created_time: unixTime(row.created_time),
    redeemed_time: row.redeemed_time === null ? null : unixTime(row.redeemed_time),
    expires_at: row.expires_at === null ? null : unixTime(row.expires_at),
  };
}

export interface Redeem {
  userId: number;
  key: string;
  ip: string;
  /** Validity of the whole balance from now on, in days; 0 leaves its expiry unchanged. */
  validityDays: number;
  pointsPerUsd: number;
}

const field = { field: "key" };

/**
 * Credits a code once, even with concurrent requests: only the request that marks the code as used may credit
 * it. Returns the points. Throws `invalid_request`, `not_found` or `conflict`, each with its reason.
 */
export async function redeem(db: PrismaClient, secrets: Secrets, input: Redeem): Promise<bigint> {
  const key = input.key.trim();
  if (key === "") throw invalidRequest({ reason: "redemption_code_missing" }, field);
  const key_hash = secrets.hash(key);
  return db.$transaction(async (tx) => {
    const now = currentTime();
    const [code] = await tx.redemption.updateManyAndReturn({
      where: {
        key_hash,
        status: RedemptionStatus.enabled,
        OR: [{ expires_at: null }, { expires_at: { gt: now } }],
      },
      data: { status: RedemptionStatus.used, redeemed_by: input.userId, redeemed_time: now },
    });
    if (code === undefined) throw await whyNot(tx, key_hash);
    if (code.quota > 0n) {
      await credit(tx, {
        userId: input.userId,
        kind: "redemption",
        amount: code.quota,
        reference: String(code.id),
        reason: reasonOf("redemptionCode", { name: code.name }),
        ip: input.ip,
        ...(input.validityDays > 0
          ? { validUntil: new Date(now.getTime() + input.validityDays * DAY_MS) }
          : {}),
      });
      await promoteUser(tx, input.userId, input.pointsPerUsd);
    }
    return code.quota;
  });
}

async function whyNot(tx: Db, key_hash: Uint8Array<ArrayBuffer>): Promise<GatewayError> {
  const code = await tx.redemption.findUnique({ where: { key_hash } });
  if (code === null) return notFound({ reason: "redemption_unknown" }, field);
  if (code.status === RedemptionStatus.enabled) {
    return conflict({ reason: "redemption_expired" }, field);
  }
  return conflict({ reason: "redemption_used" }, field);
}

/** Updates with the condition in one statement, so that a code being redeemed cannot be changed meanwhile. */
async function changeUnused(
  db: PrismaClient,
  actor: Actor,
  id: number,
  action: string,
  data: Prisma.RedemptionUpdateManyMutationInput,
): Promise<Redemption> {
  return db.$transaction(async (tx) => {
    const before = await getRedemption(tx, id);
    const [after] = await tx.redemption.updateManyAndReturn({
      where: { id, status: { not: RedemptionStatus.used } },
      data,
    });
    if (after === undefined) throw conflict({ reason: "redemption_fixed" });
    await auditRedemption(tx, actor, action, before, after);
    return after;
  });
}

function dateOf(time: number | null): Date | null {
  return time === null ? null : new Date(time * 1000);
}

function contextOf(hash: Uint8Array): string {
  return `redemption:${Buffer.from(hash).toString("hex")}`;
}
