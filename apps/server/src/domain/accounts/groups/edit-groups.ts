/**
 * User groups as administrators edit them. A symbol never changes: users, tokens, channels and logs refer to
 * it.
 */
import { DEFAULT_GROUP, type UserGroupDetail, type UserGroupInput } from "@gateway/shared/channels/group";
import { type Actor, createAuditor } from "#domain/audit-log/audit.ts";
import { conflict, invalidRequest, notFound } from "#errors.ts";
import { announce } from "#platform/announcements.ts";
import type { Db } from "#platform/database/db.ts";
import { startsWithText } from "#platform/database/text-search.ts";
import { inTransaction } from "#platform/database/transaction.ts";
import type { Prisma, UserGroup } from "#platform/prisma/client.ts";

const auditGroup = createAuditor<UserGroup>("user_group", ({ symbol }) => symbol);

export interface GroupSearch {
  /** Start of the name or symbol. */
  keyword: string;
  enable?: boolean;
  skip: number;
  take: number;
  orderBy: Prisma.UserGroupOrderByWithRelationInput[];
}

export async function listGroups(
  db: Db,
  search: GroupSearch,
): Promise<{ rows: UserGroupDetail[]; total: number }> {
  const where: Prisma.UserGroupWhereInput = {};
  if (search.enable !== undefined) where.enable = search.enable;
  if (search.keyword !== "") {
    const text = startsWithText(search.keyword);
    where.OR = [{ name: text }, { symbol: text }];
  }
  const { skip, take, orderBy } = search;
  const [groups, total] = await Promise.all([
    db.userGroup.findMany({ where, skip, take, orderBy }),
    db.userGroup.count({ where }),
  ]);
  return { rows: await withCounts(db, groups), total };
}

/** Returns a group. Throws `not_found`. */
export async function getGroup(db: Db, id: number): Promise<UserGroup> {
  const group = await db.userGroup.findUnique({ where: { id } });
  if (group === null) throw notFound({ reason: "user_group_not_found" });
  return group;
}

export async function describeGroup(db: Db, group: UserGroup): Promise<UserGroupDetail> {
  const [described] = await withCounts(db, [group]);
  if (described === undefined) throw notFound({ reason: "user_group_not_found" });
  return described;
}

/** Creates a group. Throws `conflict` if the symbol is taken. */
export async function createGroup(db: Db, actor: Actor, input: UserGroupInput): Promise<UserGroup> {
  checkWindow(input);
  return inTransaction(db, async (tx) => {
    const [group] = await tx.userGroup.createManyAndReturn({ data: [input], skipDuplicates: true });
    if (group === undefined) {
      throw conflict({ reason: "group_taken" }, { field: "symbol" });
    }
    await auditGroup(tx, actor, "group.create", undefined, group);
    await announce(tx, "groups", group.id);
    return group;
  });
}

/** Changes the given fields. */
export async function changeGroup(
  db: Db,
  actor: Actor,
  id: number,
  change: Partial<Omit<UserGroupInput, "symbol">>,
): Promise<UserGroup> {
  const { name, ratio, api_rate, promotion, min, max, cache_marks, quotes } = change;
  const data = { name, ratio, api_rate, public: change.public, promotion, min, max, cache_marks, quotes };
  return inTransaction(db, async (tx) => {
    await lockGroup(tx, id);
    const before = await getGroup(tx, id);
    const after = await tx.userGroup.update({ where: { id }, data });
    checkWindow(after);
    await auditGroup(tx, actor, "group.change", before, after);
    await announce(tx, "groups", id);
    return after;
  });
}

/**
 * Enables or disables a group, or toggles it without `enable`. Throws `conflict` if the default group would
 * be disabled.
 */
export async function switchGroup(db: Db, actor: Actor, id: number, enable?: boolean): Promise<UserGroup> {
  return inTransaction(db, async (tx) => {
    await lockGroup(tx, id);
    const before = await getGroup(tx, id);
    const next = enable ?? !before.enable;
    if (!next && before.symbol === DEFAULT_GROUP) throw conflict({ reason: "default_group_disable" });
    const after = await tx.userGroup.update({ where: { id }, data: { enable: next } });
    await auditGroup(tx, actor, "group.switch", before, after);
    await announce(tx, "groups", id);
    return after;
  });
}

/**
 * Deletes a group. Throws `conflict` for the default group, and while accounts, tokens or channels use the
 * group.
 */
export async function deleteGroup(db: Db, actor: Actor, id: number): Promise<void> {
  await inTransaction(db, async (tx) => {
    // Waits for whoever refers to the group at this moment.
    await lockGroup(tx, id);
    const before = await getGroup(tx, id);
    const { symbol } = before;
    if (symbol === DEFAULT_GROUP) throw conflict({ reason: "default_group_delete" });
    const named = [{ group: symbol }, { backup_group: symbol }];
    const uses = [
      await tx.user.count({ where: { group: symbol, deleted_at: null } }),
      await tx.token.count({ where: { OR: named, deleted_at: null } }),
      await tx.channelGroup.count({ where: { group: symbol, channel: { deleted_at: null } } }),
    ];
    if (uses.some((count) => count > 0)) {
      throw conflict({ reason: "group_in_use" });
    }
    const rules = await tx.$queryRaw<unknown[]>`
      SELECT 1 FROM identity_providers WHERE rules @> ${JSON.stringify([{ group: symbol }])}::jsonb LIMIT 1`;
    if (rules.length > 0) throw conflict({ reason: "group_in_rule" });
    await tx.userGroup.delete({ where: { id } });
    await auditGroup(tx, actor, "group.delete", before, undefined);
    await announce(tx, "groups", id);
  });
}

async function lockGroup(tx: Db, id: number): Promise<void> {
  await tx.$executeRaw`SELECT 1 FROM user_groups WHERE id = ${id} FOR UPDATE`;
}

function checkWindow({ promotion, min, max }: Pick<UserGroup, "promotion" | "min" | "max">): void {
  if (!promotion || max === 0 || max > min) return;
  throw invalidRequest({ reason: "group_window" }, { field: "max" });
}

async function withCounts(db: Db, groups: UserGroup[]): Promise<UserGroupDetail[]> {
  const symbols = { in: groups.map((group) => group.symbol) };
  const [users, channels] = await Promise.all([
    db.user.groupBy({ by: ["group"], where: { group: symbols, deleted_at: null }, _count: true }),
    db.channelGroup.groupBy({
      by: ["group"],
      where: { group: symbols, channel: { deleted_at: null } },
      _count: true,
    }),
  ]);
  const usersOf = new Map(users.map(({ group, _count }) => [group, _count]));
  const channelsOf = new Map(channels.map(({ group, _count }) => [group, _count]));
  return groups.map((group) => ({
    ...group,
    ratio: group.ratio.toNumber(),
    user_count: usersOf.get(group.symbol) ?? 0,
    channel_count: channelsOf.get(group.symbol) ?? 0,
  }));
}
