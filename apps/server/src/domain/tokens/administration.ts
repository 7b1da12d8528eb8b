/**
 * Token management for administrators. They never see a stored key. Except for their own tokens, they cannot
 * change tokens of accounts with an equal or higher role.
 */
import { Role } from "@gateway/shared/accounts/roles";
import type { TokenAdminChange, TokenAdminInput, TokenAdminRow } from "@gateway/shared/accounts/token";
import { TokenStatus } from "@gateway/shared/accounts/token-status";
import type { z } from "zod";
import { type Administrator, requireMayChange, requireMayRead } from "#domain/accounts/authority.ts";
import { getUser } from "#domain/accounts/users.ts";
import { invalidRequest, notFound } from "#errors.ts";
import { announce } from "#platform/announcements.ts";
import type { Db } from "#platform/database/db.ts";
import { startsWithText, containsText } from "#platform/database/text-search.ts";
import type { Prisma, PrismaClient, Token, User } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import { newKey, sealKey } from "./keys.ts";
import { noPreviousKey } from "./rotate-key.ts";
import { changeInTurn } from "./storage-limits.ts";
import { columnsOf } from "./token-columns.ts";
import {
  describeToken,
  lockToken,
  requireUsable,
  mergeToken,
  auditToken,
  type TokenSearch,
} from "./tokens.ts";

type Owner = Pick<User, "id" | "username" | "display_name" | "role" | "demoted_by_admin">;
type TokenWithOwner = Token & { user: Owner };
const withOwner = {
  user: { select: { id: true, username: true, display_name: true, role: true, demoted_by_admin: true } },
} as const;

export interface AdminTokenSearch extends TokenSearch {
  /** 0 means all users. */
  userId: number;
  /** 0 means any. */
  tokenId: number;
  /** Time zone of the site. */
  timeZone: string;
}

export async function searchTokens(
  db: Db,
  search: AdminTokenSearch,
): Promise<{ rows: TokenAdminRow[]; total: number }> {
  const where: Prisma.TokenWhereInput = { deleted_at: null, user: { deleted_at: null } };
  if (search.userId !== 0) where.user_id = search.userId;
  if (search.tokenId !== 0) where.id = search.tokenId;
  if (search.billing_tag !== "") where.billing_tag = search.billing_tag;
  if (search.keyword !== "" && search.fromStart === true) where.name = startsWithText(search.keyword);
  else if (search.keyword !== "") {
    const text = containsText(search.keyword);
    where.OR = [{ name: text }, { user: { username: text } }, { user: { display_name: text } }];
  }
  const { skip, take, orderBy } = search;
  const [rows, total] = await Promise.all([
    db.token.findMany({ where, skip, take, orderBy, include: withOwner }),
    db.token.count({ where }),
  ]);
  return { rows: rows.map((row) => describeOwned(row, search.timeZone)), total };
}

function describeOwned({ user, ...token }: TokenWithOwner, timeZone: string): TokenAdminRow {
  return {
    ...describeToken(token, Role.admin, timeZone),
    owner_name: user.display_name === "" ? user.username : user.display_name,
    owner_role: user.role,
  };
}

/**
 * Changes a token, and optionally its owner. A change of owner always creates a new key, which the new owner
 * finds in the console. The administrator must not see the key that the owner uses, and the old key would
 * spend the new owner's balance. Calls in progress are charged to the user who started them. Throws
 * `not_found`, `forbidden`, `group_not_allowed` and the errors of `changeToken`.
 */
export async function administerToken(
  db: PrismaClient,
  secrets: Secrets,
  actor: Administrator,
  input: z.output<typeof TokenAdminChange>,
  timeZone: string,
): Promise<TokenAdminRow> {
  return changeInTurn(db, actor.id, async (tx) => {
    await lockToken(tx, input.id);
    const before = await findAnyToken(tx, input.id);
    requireMayChange(actor, before.user, { part: "tokens" });
    const moves = input.user_id !== undefined && input.user_id !== before.user_id;
    const owner = await getUser(tx, input.user_id ?? before.user_id);
    if (moves) requireMayChange(actor, owner, { part: "tokens" });
    if (moves && input.new_key === false) {
      throw invalidRequest({ reason: "owner_change_keeps_key" }, { field: "new_key" });
    }
    const data = await columnsOf(tx, owner, mergeToken(before, input), before, actor);
    const after = await tx.token.update({
      where: { id: input.id },
      data: {
        ...data,
        ...(input.status === undefined ? {} : { status: input.status }),
        user_id: owner.id,
        // The previous owner knows the key, so a key never changes its owner.
        ...(moves || input.new_key === true ? { ...sealKey(secrets, newKey()), ...noPreviousKey } : {}),
      },
      include: withOwner,
    });
    if (before.status !== after.status && after.status === TokenStatus.enabled) requireUsable(after);
    await auditToken(tx, actor, moves ? "token.transfer" : "token.change", before, after);
    await announce(tx, "tokens", input.id);
    return describeOwned(after, timeZone);
  });
}

/**
 * Creates a token for another user, whose balance it spends. The owner finds it in the console; the
 * administrator sees the key once, to hand it over. Throws `not_found`, `forbidden` and the errors of
 * `createToken`.
 */
export async function createTokenFor(
  { db, secrets }: { db: PrismaClient; secrets: Secrets },
  actor: Administrator,
  { user_id, ...input }: z.output<typeof TokenAdminInput>,
  timeZone: string,
): Promise<{ row: TokenAdminRow; key: string }> {
  const key = newKey();
  const row = await changeInTurn(db, actor.id, async (tx) => {
    const owner = await getUser(tx, user_id);
    requireMayChange(actor, owner, { part: "tokens" });
    const values = { ...input, remain_quota: BigInt(input.remain_quota) };
    const data = await columnsOf(tx, owner, values, undefined, actor);
    const created = await tx.token.create({
      data: { ...data, ...sealKey(secrets, key), user_id: owner.id },
      include: withOwner,
    });
    await auditToken(tx, actor, "token.create", undefined, created);
    await announce(tx, "tokens", created.id);
    return describeOwned(created, timeZone);
  });
  return { row, key };
}

/** Enables or disables a token. Throws `conflict` if an expired or exhausted token would be enabled. */
export async function switchAnyToken(
  db: PrismaClient,
  actor: Administrator,
  { id, status }: { id: number; status: 1 | 2 },
  timeZone: string,
): Promise<TokenAdminRow> {
  return changeInTurn(db, actor.id, async (tx) => {
    await lockToken(tx, id);
    const before = await findAnyToken(tx, id);
    requireMayChange(actor, before.user, { part: "tokens" });
    if (status === 1) requireUsable(before);
    const after = await tx.token.update({ where: { id }, data: { status }, include: withOwner });
    await auditToken(tx, actor, "token.switch", before, after);
    await announce(tx, "tokens", id);
    return describeOwned(after, timeZone);
  });
}

/**
 * Returns a token of any user. Throws `not_found`, or `forbidden` if its owner has an equal or higher role.
 */
export async function getAnyToken(db: Db, actor: Administrator, id: number): Promise<TokenWithOwner> {
  const token = await findAnyToken(db, id);
  requireMayRead(actor, token.user);
  return token;
}

async function findAnyToken(db: Db, id: number): Promise<TokenWithOwner> {
  const token = await db.token.findFirst({
    where: { id, deleted_at: null, user: { deleted_at: null } },
    include: withOwner,
  });
  if (token === null) throw notFound({ reason: "token_not_found" });
  return token;
}
