/**
 * Monthly statements: the cost of each user's calls by model in a closed month. Months are in UTC. It must
 * not depend on balances: a statement sums charges.
 */
import type {
  ClosedMonth,
  StatementLine,
  StatementMonth,
  StatementUser,
  StatementUsersQuery,
} from "@gateway/shared/billing/statement";
import type { Page } from "@gateway/shared/paging";
import { invalidRequest } from "#errors.ts";
import { currentTime, unixTime } from "#platform/clock.ts";
import type { Pool } from "#platform/database/db.ts";

interface Sums {
  request_count: bigint;
  quota: bigint;
  prompt_tokens: bigint;
  completion_tokens: bigint;
  request_time: bigint;
}

const summed = `sum(request_count)::bigint AS request_count, sum(quota)::bigint AS quota,
  sum(prompt_tokens)::bigint AS prompt_tokens, sum(completion_tokens)::bigint AS completion_tokens,
  sum(request_time)::bigint AS request_time`;

function numbers(row: Sums) {
  return {
    request_count: Number(row.request_count),
    quota: Number(row.quota),
    prompt_tokens: Number(row.prompt_tokens),
    completion_tokens: Number(row.completion_tokens),
    request_time: Number(row.request_time),
  };
}

const monthColumns = [
  "date",
  "request_count",
  "quota",
  "prompt_tokens",
  "completion_tokens",
  "request_time",
] as const;

/** Returns a user's closed months. Throws `invalid_request` for an unknown sort order. */
export async function listStatements(
  pool: Pool,
  userId: number,
  query: { page: number; size: number; order: string },
): Promise<Page<StatementMonth>> {
  const { rows } = await pool.query<Sums & { date: string; total: bigint }>(
    `SELECT to_char(month, 'YYYY-MM-DD') AS date, ${summed}, count(*) OVER () AS total
       FROM statements WHERE user_id = $1 GROUP BY month
      ORDER BY ${orderBy(query.order, monthColumns, "-date")} LIMIT $2 OFFSET $3`,
    [userId, query.size, (query.page - 1) * query.size],
  );
  return {
    data: rows.map((row) => ({ date: row.date, ...numbers(row) })),
    page: query.page,
    size: query.size,
    total_count: Number(rows[0]?.total ?? 0n),
  };
}

/**
 * Returns a closed month by model, most expensive first; empty without a statement.
 * @param month 2026-11 or 2026-11-01
 */
export async function statementLines(pool: Pool, userId: number, month: string): Promise<StatementLine[]> {
  const { rows } = await pool.query<Sums & { date: string; model_name: string }>(
    `SELECT to_char(month, 'YYYY-MM-DD') AS date, model AS model_name, request_count, quota, prompt_tokens,
            completion_tokens, request_time
       FROM statements WHERE user_id = $1 AND month = $2::date ORDER BY quota DESC, model`,
    [userId, firstOf(month)],
  );
  return rows.map((row) => ({ date: row.date, model_name: row.model_name, ...numbers(row) }));
}

/**
 * Returns the current month so far by model, most expensive first: what its statement will contain, computed from the
 * same roll-ups. @param now in the month
 */
export async function runningStatement(
  pool: Pool,
  userId: number,
  now = currentTime(),
): Promise<StatementLine[]> {
  const month = firstOf(now.toISOString());
  const { rows } = await pool.query<Sums & { model_name: string }>(
    `SELECT model AS model_name, ${summed} FROM usage_sums($2::timestamp AT TIME ZONE 'UTC', ($2::timestamp + interval '1 month') AT TIME ZONE 'UTC')
      WHERE user_id = $1
      GROUP BY model HAVING sum(request_count) > 0 OR sum(quota) <> 0 ORDER BY sum(quota) DESC, model`,
    [userId, month],
  );
  return rows.map((row) => ({ date: month, model_name: row.model_name, ...numbers(row) }));
}

/** Returns the site's closed months, newest first. */
export async function closedMonths(pool: Pool): Promise<ClosedMonth[]> {
  const { rows } = await pool.query<MonthRow>(
    `SELECT month::timestamp AT TIME ZONE 'UTC' AS month, closed_at, users, quota
       FROM statement_months ORDER BY month DESC`,
  );
  return rows.map(presentMonth);
}

interface MonthRow {
  month: Date;
  closed_at: Date;
  users: number;
  quota: bigint;
}

export function presentMonth(row: MonthRow): ClosedMonth {
  return {
    date: row.month.toISOString().slice(0, 10),
    closed_at: unixTime(row.closed_at),
    users: row.users,
    quota: Number(row.quota),
  };
}

const userColumns = ["username", "request_count", "quota", "prompt_tokens", "completion_tokens"] as const;

/** Returns the sums of a closed month for all users. */
export async function statementUsers(pool: Pool, query: StatementUsersQuery): Promise<Page<StatementUser>> {
  const { rows } = await pool.query<Sums & { user_id: number; username: string; total: bigint }>(
    `SELECT s.*, count(*) OVER () AS total FROM (
       SELECT s.user_id, COALESCE(u.username, '#' || s.user_id) AS username, ${summed.replaceAll("sum(", "sum(s.")}
         FROM statements s LEFT JOIN users u ON u.id = s.user_id
        WHERE s.month = $1::date GROUP BY s.user_id, u.username
     ) s WHERE $2 = '' OR strpos(lower(username), lower($2)) > 0
     ORDER BY ${orderBy(query.order, userColumns, "-quota")}, user_id LIMIT $3 OFFSET $4`,
    [firstOf(query.date), query.keyword, query.size, (query.page - 1) * query.size],
  );
  return {
    data: rows.map((row) => ({ user_id: row.user_id, username: row.username, ...numbers(row) })),
    page: query.page,
    size: query.size,
    total_count: Number(rows[0]?.total ?? 0n),
  };
}

/** @param month 2026-11 or 2026-11-01 */
export function firstOf(month: string): string {
  return `${month.slice(0, 7)}-01`;
}

function orderBy(order: string, columns: readonly string[], otherwise: string): string {
  const wanted = order === "" ? otherwise : order;
  const name = wanted.replace(/^-/, "");
  if (!columns.includes(name))
    throw invalidRequest({ reason: "sort_unknown", field: name }, { param: "order" });
  return `${name} ${wanted.startsWith("-") ? "DESC" : "ASC"}`;
}
