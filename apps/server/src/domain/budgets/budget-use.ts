/** Usage of a budget in the current periods. */
import { Budget, budgetFields, budgetPeriods, type PeriodUse } from "@gateway/shared/accounts/budget";
import { currentTime, unixTime } from "#platform/clock.ts";
import { firstDayOf, localDate, nextPeriodOf, startOfDay } from "#platform/local-days.ts";
import { Prisma } from "#platform/prisma/client.ts";

/** SQL over a row `u` of `users`: the owner's budget in the form of a `Budget`. */
export const ownBudgetColumn = Prisma.sql`jsonb_build_object(
  'monthly_spend', CASE WHEN u.own_month_stops THEN u.own_month_limit ELSE 0 END,
  'monthly_notify', ceil(u.own_month_limit * u.own_month_warning / 100.0)::bigint)`;

/** Spending columns of a row of `users` or `tokens`. */
export interface SpendingColumns {
  /** Day of the last charge. */
  spent_day: Date;
  day_quota: bigint;
  week_quota: bigint;
  month_quota: bigint;
}

/** Returns the budget; undefined for an empty or unreadable column. */
export function budgetOf(column: unknown): Budget | undefined {
  return column === null ? undefined : Budget.safeParse(column).data;
}

/** Returns the usage of the budget's periods that have a limit or a notice. */
export function usesOf(
  budget: Budget | undefined,
  spent: SpendingColumns,
  timeZone: string,
  now = currentTime(),
): PeriodUse[] {
  if (budget === undefined) return [];
  const today = localDate(now, timeZone);
  const lastDay = spent.spent_day.toISOString().slice(0, 10);
  return budgetPeriods.flatMap((period) => {
    const fields = budgetFields[period];
    const limit = budget[fields.spend];
    const notify = budget[fields.notify];
    if (limit === 0 && notify === 0) return [];
    const used = lastDay >= firstDayOf(period, today) ? Number(spent[`${period}_quota`]) : 0;
    const end = startOfDay(nextPeriodOf(period, today), timeZone);
    return [{ period, used, limit, notify, resets_at: unixTime(end) }];
  });
}

/** Returns the points charged in the current month, and when it ends. */
export function spentInMonth(
  spent: SpendingColumns,
  timeZone: string,
  now: Date,
): { used: number; resetsAt: Date } {
  const today = localDate(now, timeZone);
  const isCurrent = spent.spent_day.toISOString().slice(0, 10) >= firstDayOf("month", today);
  return {
    used: isCurrent ? Number(spent.month_quota) : 0,
    resetsAt: startOfDay(nextPeriodOf("month", today), timeZone),
  };
}
