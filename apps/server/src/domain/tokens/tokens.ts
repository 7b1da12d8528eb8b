import { can, Role } from "@gateway/shared/accounts/roles";
import {
  NEVER_EXPIRES,
  type TokenChange,
  type TokenInput,
  type TokenRow,
  TokenSetting,
  type TokenSettingChange,
} from "@gateway/shared/accounts/token";
import { PLAYGROUND_TOKEN, TokenStatus } from "@gateway/shared/accounts/token-status";
import type { z } from "zod";
import { type Actor, writeAudit } from "#domain/audit-log/audit.ts";
import { conflict, invalidRequest, notFound } from "#errors.ts";
import { announce } from "#platform/announcements.ts";
import { currentTime, unixTime } from "#platform/clock.ts";
import { lockCount } from "#platform/database/advisory-locks.ts";
import type { Db } from "#platform/database/db.ts";
import { startsWithText, containsText } from "#platform/database/text-search.ts";
import { localDate, nextPeriodOf, startOfDay } from "#platform/local-days.ts";
import type { Prisma, PrismaClient, Token } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import { newKey, revealKey, sealKey } from "./keys.ts";
import { countChange, changeInTurn, requireTokenSpace } from "./storage-limits.ts";
import { columnsOf, type TokenColumns } from "./token-columns.ts";

/**
 * API keys as their owners manage them. A key is found by its keyed hash and shown again only to its owner.
 * Every function takes the owner and throws `not_found` for tokens of other users.
 */
export interface Owner extends Actor {
  id: number;
  role: number;
  /** Symbol of the owner's own group. */
  group: string;
}

/** Largest integer that a JSON number represents exactly. */
const LARGEST = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Creates a token. Returns its row and the whole key. Throws `invalid_request` or `group_not_allowed` with
 * the field.
 */
export async function createToken(
  db: PrismaClient,
  secrets: Secrets,
  owner: Owner,
  input: TokenInput,
): Promise<{ token: Token; key: string }> {
  return changeInTurn(db, owner.id, (tx) => addToken(tx, secrets, owner, input));
}

/**
 * Does the work of `createToken` in a transaction of the caller.
 * @param device_name the device that signed in, if the token is for one
 */
export async function addToken(
  tx: Prisma.TransactionClient,
  secrets: Secrets,
  owner: Owner,
  input: TokenInput,
  device_name: string | null = null,
): Promise<{ token: Token; key: string }> {
  const key = newKey();
  await countChange(tx, owner);
  await requireTokenSpace(tx, owner);
  const data = await columnsOf(tx, owner, { ...input, remain_quota: BigInt(input.remain_quota) });
  const token = await tx.token.create({
    data: { ...data, ...sealKey(secrets, key), user_id: owner.id, device_name },
  });
  await auditToken(tx, owner, "token.create", undefined, token);
  await announce(tx, "tokens", token.id);
  return { token, key };
}

/**
 * Changes a token. Throws `conflict` if an expired or exhausted token would be enabled, and the errors of
 * `createToken`.
 */
export async function changeToken(
  db: PrismaClient,
  owner: Owner,
  id: number,
  input: z.output<typeof TokenChange>,
): Promise<Token> {
  return changeInTurn(db, owner.id, async (tx) => {
    await countChange(tx, owner);
    await lockToken(tx, id);
    const before = await getToken(tx, owner.id, id);
    const data = {
      ...(await columnsOf(tx, owner, mergeToken(before, input), before)),
      ...(input.status === undefined ? {} : { status: input.status }),
    };
    const after = await tx.token.update({ where: { id }, data });
    if (before.status !== after.status && after.status === TokenStatus.enabled) requireUsable(after);
    await auditToken(tx, owner, "token.change", before, after);
    await announce(tx, "tokens", id);
    return after;
  });
}

/** Returns the token with the change applied. Fields that the change omits stay. */
export function mergeToken(before: Token, change: z.output<typeof TokenChange>): TokenColumns {
  const now = describeToken(before, Role.root);
  const limited = change.remain_quota === undefined ? undefined : false;
  return {
    name: change.name ?? now.name,
    expired_time: change.expired_time ?? now.expired_time,
    unlimited_quota: change.unlimited_quota ?? limited ?? now.unlimited_quota,
    remain_quota: quotaAfter(before, change),
    group: change.group ?? now.group,
    backup_group: change.backup_group ?? now.backup_group,
    setting: mergedSetting(now.setting, change.setting ?? {}),
    ...(change.billing_tag === undefined ? {} : { billing_tag: change.billing_tag }),
  };
}

/** Empty lists are no limits and are not stored. */
function limitsOf(mcp: TokenSetting["mcp"]): TokenSetting["mcp"] {
  const lists = [mcp?.bundles, mcp?.allow, mcp?.deny];
  return lists.some((list) => list !== undefined && list.length > 0) ? mcp : undefined;
}

function mergedSetting(now: TokenSetting, change: TokenSettingChange): TokenSetting {
  const { limits = {}, rates = {} } = change;
  const mcp = limitsOf(change.mcp ?? now.mcp);
  return {
    heartbeat: change.heartbeat ?? now.heartbeat,
    limits: {
      limit_model_setting: limits.limit_model_setting ?? now.limits.limit_model_setting,
      limits_ip_setting: limits.limits_ip_setting ?? now.limits.limits_ip_setting,
    },
    rates: {
      requests_per_minute: rates.requests_per_minute ?? now.rates.requests_per_minute,
      tokens_per_minute: rates.tokens_per_minute ?? now.rates.tokens_per_minute,
      concurrency: rates.concurrency ?? now.rates.concurrency,
      daily_spend: rates.daily_spend ?? now.rates.daily_spend,
      monthly_spend: rates.monthly_spend ?? now.rates.monthly_spend,
      session_spend: rates.session_spend ?? now.rates.session_spend,
    },
    cache: change.cache ?? now.cache,
    log_bodies: change.log_bodies ?? now.log_bodies,
    ...(mcp === undefined ? {} : { mcp }),
  };
}

/** Locks a token: calls that settle at the same time wait until the change is committed. */
export async function lockToken(tx: Prisma.TransactionClient, id: number): Promise<void> {
  await tx.$queryRaw`SELECT FROM tokens WHERE id = ${id} FOR NO KEY UPDATE`;
}

/** Returns the points that a token has left. The last call may have cost more than that; its owner's balance paid it. */
export function quotaLeft({ remain_quota: left }: Pick<Token, "remain_quota">): bigint {
  return left > 0n ? left : 0n;
}

/** Returns the points left after the change. Removing more points than are left results in 0. */
function quotaAfter(before: Pick<Token, "remain_quota">, change: z.output<typeof TokenChange>): bigint {
  if (change.remain_quota !== undefined) return BigInt(change.remain_quota);
  const added = BigInt(change.add_quota ?? 0);
  if (added === 0n) return before.remain_quota;
  const sum = quotaLeft(before) + added;
  if (sum > LARGEST) {
    throw invalidRequest({ reason: "token_quota_too_high" }, { field: "add_quota" });
  }
  return sum > 0n ? sum : 0n;
}

/**
 * Enables or disables a token. Throws `conflict` with the reason if an expired or exhausted token would be
 * enabled.
 */
export async function switchToken(db: PrismaClient, owner: Owner, id: number, status: 1 | 2): Promise<Token> {
  return changeInTurn(db, owner.id, async (tx) => {
    await lockToken(tx, id);
    const before = await getToken(tx, owner.id, id);
    if (status === TokenStatus.enabled) {
      await countChange(tx, owner);
      requireUsable(before);
    }
    const after = await tx.token.update({ where: { id }, data: { status } });
    await auditToken(tx, owner, "token.switch", before, after);
    await announce(tx, "tokens", id);
    return after;
  });
}

export function requireUsable(token: Token): void {
  switch (statusOf({ ...token, status: TokenStatus.enabled })) {
    case TokenStatus.expired:
      throw conflict({ reason: "token_expired_before" });
    case TokenStatus.exhausted:
      throw conflict({ reason: "token_used_up" });
    default:
  }
}

/** Marks a token as deleted, which invalidates its key. The row stays, because logs refer to it. */
export async function deleteToken(db: PrismaClient, owner: Owner, id: number): Promise<void> {
  await changeInTurn(db, owner.id, async (tx) => {
    await lockToken(tx, id);
    const before = await getToken(tx, owner.id, id);
    // The lists of a deleted token are neither shown nor used.
    await tx.token.update({ where: { id }, data: { deleted_at: currentTime(), setting: {} } });
    await auditToken(tx, owner, "token.delete", before, undefined);
    await announce(tx, "tokens", id);
  });
}

export async function getToken(db: Db, ownerId: number, id: number): Promise<Token> {
  const token = await db.token.findFirst({ where: { id, user_id: ownerId, deleted_at: null } });
  if (token === null) throw notFound({ reason: "token_not_found" });
  return token;
}

export interface TokenSearch {
  /** Part of the name. */
  keyword: string;
  /** Whether the keyword matches only the start of the name. */
  fromStart?: boolean;
  /** "" means all. */
  billing_tag: string;
  skip: number;
  take: number;
  orderBy: Prisma.TokenOrderByWithRelationInput[];
}

export async function listTokens(
  db: Db,
  ownerId: number,
  search: TokenSearch,
): Promise<{ rows: Token[]; total: number }> {
  const where: Prisma.TokenWhereInput = { user_id: ownerId, deleted_at: null };
  if (search.billing_tag !== "") where.billing_tag = search.billing_tag;
  if (search.keyword !== "")
    where.name = search.fromStart === true ? startsWithText(search.keyword) : containsText(search.keyword);
  const { skip, take, orderBy } = search;
  const [rows, total] = await Promise.all([
    db.token.findMany({ where, skip, take, orderBy }),
    db.token.count({ where }),
  ]);
  return { rows, total };
}

/**
 * Returns the key of the token that the console's playground uses. Creates the token if no usable one exists.
 */
export async function playgroundKey(db: PrismaClient, secrets: Secrets, owner: Owner): Promise<string> {
  return changeInTurn(db, owner.id, async (tx) => {
    // Two open playgrounds must not create two tokens.
    await lockCount(tx, `playground:${owner.id}`);
    const found = await tx.token.findFirst({
      where: {
        user_id: owner.id,
        name: PLAYGROUND_TOKEN,
        status: TokenStatus.enabled,
        unlimited_quota: true,
        expired_time: null,
        deleted_at: null,
      },
    });
    if (found !== null) return revealKey(secrets, found);
    const key = newKey();
    const created = await tx.token.create({
      data: { ...sealKey(secrets, key), user_id: owner.id, name: PLAYGROUND_TOKEN, unlimited_quota: true },
    });
    await auditToken(tx, owner, "token.create", undefined, created);
    return key;
  });
}

/**
 * Returns the effective status: enabled or disabled as stored; an enabled token becomes expired or exhausted
 * automatically.
 */
export function statusOf(token: Token, now = currentTime()): number {
  if (token.status !== TokenStatus.enabled) return token.status;
  if (token.expired_time !== null && token.expired_time <= now) return TokenStatus.expired;
  return !token.unlimited_quota && token.remain_quota <= 0n ? TokenStatus.exhausted : TokenStatus.enabled;
}

type RecentSpending = Pick<TokenRow, "day_quota" | "month_quota" | "day_resets_at" | "month_resets_at">;

/**
 * Returns what the token spent in the current day and month, and when they end. The stored amounts belong to the day and
 * month of the last charge.
 */
function spentLately(token: Token, timeZone: string, now = currentTime()): RecentSpending {
  const day = localDate(now, timeZone);
  const isOf = (period: Date, length: number) =>
    period.toISOString().slice(0, length) === day.slice(0, length);
  return {
    day_quota: isOf(token.spent_day, 10) ? Number(token.day_quota) : 0,
    month_quota: isOf(token.spent_month, 7) ? Number(token.month_quota) : 0,
    day_resets_at: unixTime(startOfDay(nextPeriodOf("day", day), timeZone)),
    month_resets_at: unixTime(startOfDay(nextPeriodOf("month", day), timeZone)),
  };
}

/**
 * Returns a token as a user of this role sees it.
 * @param timeZone time zone of the site
 */
export function describeToken(token: Token, role: number, timeZone = "UTC"): TokenRow {
  return {
    id: token.id,
    user_id: token.user_id,
    name: token.name,
    key_hint: token.key_hint,
    status: statusOf(token),
    created_time: unixTime(token.created_time),
    accessed_time: token.accessed_time === null ? null : unixTime(token.accessed_time),
    expired_time: token.expired_time === null ? NEVER_EXPIRES : unixTime(token.expired_time),
    unlimited_quota: token.unlimited_quota,
    remain_quota: Number(quotaLeft(token)),
    used_quota: Number(token.used_quota),
    ...spentLately(token, timeZone),
    group: token.group,
    backup_group: token.backup_group,
    setting: TokenSetting.parse(token.setting),
    billing_tag: can(role, "seeBillingTag") ? token.billing_tag : "",
    device_name: token.device_name ?? "",
    previous_key: previousKeyOf(token),
  };
}

function previousKeyOf(token: Token): TokenRow["previous_key"] {
  const { previous_until: until, previous_hint: hint } = token;
  return until === null || until <= currentTime() ? null : { hint, until: unixTime(until) };
}

export async function auditToken(
  db: Db,
  actor: Actor,
  action: string,
  before: Token | undefined,
  after: Token | undefined,
): Promise<void> {
  const target = after ?? before;
  await writeAudit(db, {
    actor,
    action,
    targetType: "token",
    targetId: target?.id ?? "",
    before: before && auditedFields(before),
    after: after && auditedFields(after),
  });
}

/** Without what changes with each call and each day. */
function auditedFields(token: Token) {
  const {
    day_quota: _day,
    month_quota: _month,
    day_resets_at: _dayEnd,
    month_resets_at: _monthEnd,
    ...fields
  } = describeToken(token, Role.root);
  return fields;
}
