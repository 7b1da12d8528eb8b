import { spentInPeriod } from "./move-balances.ts";

/** The SQL of spending limits. The ledger's batches evaluate it on the rows that they have locked. */

/** Reads a field of a budget; NULL when absent. 0 means no limit. */
const field = (budget: string, name: string) => `NULLIF((${budget} ->> '${name}')::bigint, 0)`;

/**
 * Returns the SQL for what may still be spent in a period.
 * @param used the SQL of reserved and leased points
 */
const left = (row: string, used: string, period: "day" | "week" | "month") =>
  `l.per_${period} - ${used} - ${spentInPeriod(row, period)}`;

/**
 * The columns of `users` that `budgets` needs. The row is locked without a join, so that its values are
 * current once the lock is granted.
 */
export const budgetColumns = `budget, "group", reserved + leased AS used, spent_day, day_quota, week_quota, month_quota`;

/**
 * Yields one row for each account of `payer` that has a limit: its own budget, or that of its group. Accounts
 * without a budget cost a lookup in the groups, which are few.
 */
export const budgets = `
), limits AS MATERIALIZED (
  SELECT p.id, l.*, ${left("p", "p.used", "day")} AS day_free, ${left("p", "p.used", "week")} AS week_free,
    ${left("p", "p.used", "month")} AS month_free
  FROM payer p
  CROSS JOIN clock k
  LEFT JOIN user_groups g ON g.symbol = p."group"
  CROSS JOIN LATERAL (SELECT COALESCE(p.budget, g.budget) AS budget) e
  CROSS JOIN LATERAL (SELECT ${field("e.budget", "daily_spend")} AS per_day,
    ${field("e.budget", "weekly_spend")} AS per_week, ${field("e.budget", "monthly_spend")} AS per_month) l
  WHERE e.budget IS NOT NULL AND COALESCE(l.per_day, l.per_week, l.per_month) IS NOT NULL`;

/** Limits of the token `t`: the smaller of its owner's limit and the operator's limit applies. */
export const tokenLimits = `SELECT
    LEAST(${field("t.rates", "daily_spend")}, ${field("t.budget", "daily_spend")}) AS per_day,
    ${field("t.budget", "weekly_spend")} AS per_week,
    LEAST(${field("t.rates", "monthly_spend")}, ${field("t.budget", "monthly_spend")}) AS per_month,
    COALESCE((t.rates ->> 'concurrency')::int, 0) AS at_once`;

/** Returns the SQL for what the token `t` may still spend, with `l` for its limits. */
export const tokenFree = (period: "day" | "week" | "month") => left("t", "t.reserved", period);

/** The limit that caused the refusal, and the end of its period. */
export const refusedLimit = `
    WHEN 'account_day' THEN j.account_per_day WHEN 'account_week' THEN j.account_per_week
    WHEN 'account_month' THEN j.account_per_month WHEN 'day' THEN j.per_day WHEN 'week' THEN j.per_week
    WHEN 'month' THEN j.per_month`;
export const refusedUntil = `(SELECT (CASE
    WHEN j.refusal IN ('day', 'account_day') THEN day + interval '1 day'
    WHEN j.refusal IN ('week', 'account_week') THEN week + interval '7 days'
    WHEN j.refusal IN ('month', 'account_month') THEN month + interval '1 month' END)::timestamp AT TIME ZONE zone FROM clock)`;
