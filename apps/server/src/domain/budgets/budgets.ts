/**
 * Budgets that operators set for accounts, groups and API keys. The ledger enforces them; see
 * limit-statements.ts. An account without a budget of its own uses its group's.
 */
import type {
  Budget,
  BudgetTarget,
  BudgetUses,
  BudgetView,
  OwnBudget,
  PeriodUse,
} from "@gateway/shared/accounts/budget";
import { type Administrator, mayRead, requireMayChange, requireMayRead } from "#domain/accounts/authority.ts";
import { writeAudit } from "#domain/audit-log/audit.ts";
import { notFound } from "#errors.ts";
import { announce } from "#platform/announcements.ts";
import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import { firstDayOf, localDate } from "#platform/local-days.ts";
import { Prisma, type PrismaClient, type User } from "#platform/prisma/client.ts";
import { budgetOf, type SpendingColumns, usesOf } from "./budget-use.ts";

interface BudgetHolder {
  id: number;
  /** Spending that counts against the budget; undefined for a group. */
  spent: SpendingColumns | undefined;
  budget: Prisma.JsonValue;
  inherited: Prisma.JsonValue;
  /** Target in the audit log. */
  targetType: string;
  targetId: string | number;
  /** The actor must have a higher role than this owner. */
  owner: Pick<User, "id" | "role" | "demoted_by_admin"> | undefined;
  symbol: string;
}

/** Throws `not_found`, or `forbidden` for an account or key of an account that the actor may not read. */
export async function describeBudget(
  db: Db,
  actor: Administrator,
  target: BudgetTarget,
  id: number,
  timeZone: string,
): Promise<BudgetView> {
  const holder = await find(db, target, id);
  if (holder.owner !== undefined) requireMayRead(actor, holder.owner);
  return viewOf(db, holder, timeZone);
}

/**
 * Sets a budget; null removes it. Throws `not_found`, or `forbidden` for an account or key of an account that the actor may not change.
 */
export async function setBudget(
  db: PrismaClient,
  actor: Administrator,
  change: { target: BudgetTarget; id: number; budget: Budget | null; timeZone: string },
): Promise<BudgetView> {
  const { target, id, budget, timeZone } = change;
  return db.$transaction(async (tx) => {
    const before = await find(tx, target, id);
    if (before.owner !== undefined) requireMayChange(actor, before.owner, { part: "money" });
    const data = { budget: budget ?? Prisma.DbNull };
    if (target === "user") await tx.user.update({ where: { id }, data });
    else if (target === "token") await tx.token.update({ where: { id }, data });
    else await tx.userGroup.update({ where: { id }, data });
    const { targetType, targetId } = before;
    const note = { actor, action: `${target}.budget`, targetType, targetId };
    await writeAudit(tx, { ...note, before: before.budget, after: budget });
    // Limits are exact only without leases, so nodes return the affected ones. 0 means all accounts.
    if (target === "group") {
      await announce(tx, "groups");
      await announce(tx, "leases", 0);
    } else await announce(tx, target === "user" ? "users" : "tokens", id);
    return viewOf(tx, { ...before, budget }, timeZone);
  });
}

async function viewOf(db: Db, named: BudgetHolder, timeZone: string): Promise<BudgetView> {
  const own = budgetOf(named.budget) ?? null;
  const inherited = budgetOf(named.inherited) ?? null;
  const spent =
    named.spent ?? (await highestIn(db, [named.symbol], timeZone)).get(named.symbol) ?? nothingSpent;
  return {
    budget: own,
    inherited,
    uses: usesOf(own ?? inherited ?? undefined, spent, timeZone),
    time_zone: timeZone,
  };
}

async function find(db: Db, target: BudgetTarget, id: number): Promise<BudgetHolder> {
  switch (target) {
    case "user": {
      const user = await db.user.findFirst({ where: { id, deleted_at: null } });
      if (user === null) throw notFound({ reason: "user_not_found" });
      const group = await db.userGroup.findUnique({ where: { symbol: user.group } });
      const { budget } = user;
      const named = { targetType: "user", targetId: id, owner: user, symbol: user.group };
      return { id, spent: user, budget, inherited: group?.budget ?? null, ...named };
    }
    case "token": {
      const token = await db.token.findFirst({
        where: { id, deleted_at: null, user: { deleted_at: null } },
        include: { user: { select: { id: true, role: true, demoted_by_admin: true } } },
      });
      if (token === null) throw notFound({ reason: "token_not_found" });
      const { budget, user } = token;
      const named = { targetType: "token", targetId: id, owner: user, symbol: "" };
      return { id, spent: token, budget, inherited: null, ...named };
    }
    case "group": {
      const group = await db.userGroup.findUnique({ where: { id } });
      if (group === null) throw notFound({ reason: "user_group_not_found" });
      const { budget, symbol } = group;
      const named = { targetType: "user_group", targetId: symbol, owner: undefined, symbol };
      return { id, spent: undefined, budget, inherited: null, ...named };
    }
    default:
      return target satisfies never;
  }
}

const nothingSpent: SpendingColumns = {
  spent_day: new Date(0),
  day_quota: 0n,
  week_quota: 0n,
  month_quota: 0n,
};

/** Returns the highest spending of a single member, for each of these groups. */
async function highestIn(db: Db, symbols: string[], timeZone: string): Promise<Map<string, SpendingColumns>> {
  if (symbols.length === 0) return new Map();
  const today = localDate(currentTime(), timeZone);
  const highest = (
    period: "day" | "week" | "month",
  ) => Prisma.sql`COALESCE(max(${Prisma.raw(`${period}_quota`)})
    FILTER (WHERE spent_day >= ${firstDayOf(period, today)}::date), 0)::bigint`;
  const rows = await db.$queryRaw<(Omit<SpendingColumns, "spent_day"> & { group: string })[]>`
    SELECT "group", ${highest("day")} AS day_quota, ${highest("week")} AS week_quota, ${highest("month")} AS month_quota
    FROM users WHERE "group" = ANY(${symbols}) AND budget IS NULL AND deleted_at IS NULL GROUP BY "group"`;
  const spent_day = new Date(`${today}T00:00:00Z`);
  return new Map(rows.map(({ group, ...spent }) => [group, { ...spent, spent_day }]));
}

/** Returns the budget usage of these list rows; rows without a budget, and those that the actor may not read, are omitted. */
export async function listUses(
  db: Db,
  actor: Administrator,
  { target, ids }: { target: BudgetTarget; ids: number[] },
  timeZone: string,
): Promise<BudgetUses> {
  const where = { id: { in: ids } };
  switch (target) {
    case "user": {
      const users = await db.user.findMany({ where });
      return usesOfAccounts(
        db,
        users.filter((user) => mayRead(actor, user)),
        timeZone,
      );
    }
    case "token": {
      const tokens = await db.token.findMany({
        where,
        include: { user: { select: { id: true, role: true } } },
      });
      return usesById(
        tokens.filter(({ user }) => mayRead(actor, user)),
        timeZone,
      );
    }
    case "group": {
      const groups = (await db.userGroup.findMany({ where })).filter(({ budget }) => budget !== null);
      const symbols = groups.map(({ symbol }) => symbol);
      const highest = await highestIn(db, symbols, timeZone);
      return usesById(
        groups.map(({ id, symbol, budget }) => ({ id, budget, ...(highest.get(symbol) ?? nothingSpent) })),
        timeZone,
      );
    }
    default:
      return target satisfies never;
  }
}

async function usesOfAccounts(db: Db, users: readonly User[], timeZone: string): Promise<BudgetUses> {
  const groups = await db.userGroup.findMany({
    where: { symbol: { in: [...new Set(users.map(({ group }) => group))] } },
  });
  const budgets = new Map(groups.map(({ symbol, budget }) => [symbol, budget]));
  return usesById(
    users.map((user) => ({ ...user, budget: user.budget ?? budgets.get(user.group) ?? null })),
    timeZone,
  );
}

function usesById(
  rows: readonly (SpendingColumns & { id: number; budget: Prisma.JsonValue })[],
  timeZone: string,
): BudgetUses {
  const uses = rows.map((row): [string, PeriodUse[]] => [
    String(row.id),
    usesOf(budgetOf(row.budget), row, timeZone),
  ]);
  return Object.fromEntries(uses.filter(([, periods]) => periods.length > 0));
}

const mostTokens = 500;

/** Returns the use of the operator's budgets of an account and its API keys, as the owner may see it. */
export async function ownBudgetUses(
  db: Db,
  userId: number,
  timeZone: string,
): Promise<Pick<OwnBudget, "account" | "tokens">> {
  const uses = await usesOfAccounts(db, await db.user.findMany({ where: { id: userId } }), timeZone);
  const tokens = await db.token.findMany({
    where: { user_id: userId, deleted_at: null, budget: { not: Prisma.DbNull } },
    orderBy: { id: "desc" },
    take: mostTokens,
  });
  return { account: uses[String(userId)] ?? [], tokens: usesById(tokens, timeZone) };
}
