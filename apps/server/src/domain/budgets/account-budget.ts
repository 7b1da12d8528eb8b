/**
 * The monthly budget that the owner of an account sets, and the forecast of the month. The ledger enforces the budget
 * beside the operator's; see write-batch.sql.
 */
import type { AccountBudget, MonthForecast, OwnBudget } from "@gateway/shared/accounts/budget";
import { type Actor, writeAudit } from "#domain/audit-log/audit.ts";
import { notFound } from "#errors.ts";
import { announce } from "#platform/announcements.ts";
import { currentTime, unixTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import type { PrismaClient, User } from "#platform/prisma/client.ts";
import { spentInMonth } from "./budget-use.ts";
import { ownBudgetUses } from "./budgets.ts";

const dayMs = 86_400_000;
const mostAveragedDays = 7;

type BudgetColumns = Pick<User, "own_month_limit" | "own_month_warning" | "own_month_stops">;

/** Converts the columns of an account to the budget that its owner set. */
export function accountBudgetOf(row: BudgetColumns): AccountBudget {
  return {
    limit: Number(row.own_month_limit),
    warning: row.own_month_warning,
    stops: row.own_month_stops,
  };
}

/** Returns what the owner of an account may see of its budgets. Throws `not_found`. */
export async function describeOwnBudget(db: Db, userId: number, timeZone: string): Promise<OwnBudget> {
  const user = await findAccount(db, userId);
  const [uses, month] = await Promise.all([
    ownBudgetUses(db, userId, timeZone),
    forecastMonth(db, user, timeZone),
  ]);
  return { ...uses, own: accountBudgetOf(user), month };
}

/** Sets the owner's budget; a limit of 0 removes it. Throws `not_found`. */
export async function setAccountBudget(
  db: PrismaClient,
  owner: Actor & { id: number },
  budget: AccountBudget,
): Promise<void> {
  await db.$transaction(async (tx) => {
    const before = accountBudgetOf(await findAccount(tx, owner.id));
    await tx.user.update({
      where: { id: owner.id },
      data: {
        own_month_limit: budget.limit,
        own_month_warning: budget.warning,
        own_month_stops: budget.stops,
      },
    });
    const target = { targetType: "user", targetId: owner.id };
    await writeAudit(tx, { actor: owner, action: "user.own_budget", ...target, before, after: budget });
    // Limits are exact only without leases, so nodes return those of the account.
    await announce(tx, "users", owner.id);
  });
}

/**
 * Returns the charges of the current month and of its expected end: spending continues as on average in the last seven
 * days, or since the first call of a newer account.
 */
async function forecastMonth(
  db: Db,
  user: User,
  timeZone: string,
  now = currentTime(),
): Promise<MonthForecast> {
  const since = new Date(now.getTime() - mostAveragedDays * dayMs);
  const [recent] = await db.$queryRaw<{ quota: bigint; first: Date | null }[]>`
    SELECT COALESCE(sum(quota), 0)::bigint AS quota, min(hour) AS first
    FROM usage_by_hour(${since}, 'infinity') WHERE user_id = ${user.id}`;
  const [older] = await db.$queryRaw<{ found: boolean }[]>`
    SELECT EXISTS (SELECT FROM usage_by_hour('-infinity', ${since}) WHERE user_id = ${user.id}) AS found`;
  const { used, resetsAt } = spentInMonth(user, timeZone, now);
  const first = recent?.first?.getTime() ?? now.getTime();
  const sinceFirst = Math.max(1, (now.getTime() - first) / dayMs);
  const averaged_days = older?.found === true ? mostAveragedDays : Math.min(mostAveragedDays, sinceFirst);
  const daily_average = Number(recent?.quota ?? 0n) / averaged_days;
  const days_left = Math.max(0, (resetsAt.getTime() - now.getTime()) / dayMs);
  return {
    used,
    daily_average,
    averaged_days,
    days_left,
    expected: used + Math.round(daily_average * days_left),
    resets_at: unixTime(resetsAt),
    time_zone: timeZone,
  };
}

async function findAccount(db: Db, id: number): Promise<User> {
  const user = await db.user.findFirst({ where: { id, deleted_at: null } });
  if (user === null) throw notFound({ reason: "user_not_found" });
  return user;
}
