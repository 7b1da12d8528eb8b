import type { UserUsage, UsersQuery } from "@gateway/shared/usage/analytics";
import type { Pool } from "#platform/database/db.ts";
import { startOfDay } from "#platform/local-days.ts";
import { counters, type CounterRow, sumOf } from "./counters.ts";

// Qualified, because `users` has columns with the same names.
const usageSums = counters.map((name) => `sum(h.${name})::bigint AS ${name}`).join(", ");

/** Compares named users over whole local days. Unknown names are omitted. */
export async function compareUsers(
  pool: Pool,
  query: UsersQuery,
): Promise<{
  users: UserUsage[];
  models: { username: string; model_name: string; request_count: number }[];
}> {
  const nextDay = new Date(Date.parse(`${query.end_time}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
  const values = [
    query.usernames,
    startOfDay(query.start_time, query.time_zone),
    startOfDay(nextDay, query.time_zone),
  ];
  const [users, models] = await Promise.all([
    pool.query<CounterRow & { username: string }>(
      `SELECT u.username, ${usageSums} FROM users u
         LEFT JOIN usage_hours h ON h.user_id = u.id AND h.hour >= $2 AND h.hour < $3
        WHERE u.username = ANY($1::text[])
        GROUP BY u.id, u.username ORDER BY sum(h.quota) DESC NULLS LAST, u.username`,
      values,
    ),
    pool.query<{ username: string; model_name: string; request_count: bigint }>(
      `SELECT u.username, h.model AS model_name, sum(h.request_count)::bigint AS request_count
         FROM users u JOIN usage_hours h ON h.user_id = u.id AND h.hour >= $2 AND h.hour < $3
        WHERE u.username = ANY($1::text[])
        GROUP BY u.username, h.model HAVING sum(h.request_count) > 0
        ORDER BY u.username, 3 DESC, h.model`,
      values,
    ),
  ]);
  return {
    users: users.rows.map((row) => ({ username: row.username, ...sumOf(row) })),
    models: models.rows.map((row) => ({ ...row, request_count: Number(row.request_count) })),
  };
}
