import type { UserUsage, UsersQuery } from "@gateway/shared/usage/analytics";
import type { Pool } from "#platform/database/db.ts";
import { startOfDay } from "#platform/local-days.ts";
import { type CounterRow, counterSums, sumOf } from "./counters.ts";

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
      `SELECT u.username, h.* FROM users u
        CROSS JOIN LATERAL (SELECT ${counterSums} FROM usage_sums($2, $3) WHERE user_id = u.id) h
        WHERE u.username = ANY($1::text[]) ORDER BY h.quota DESC NULLS LAST, u.username`,
      values,
    ),
    pool.query<{ username: string; model_name: string; request_count: bigint }>(
      `SELECT u.username, h.* FROM users u
        CROSS JOIN LATERAL (SELECT model AS model_name, sum(request_count)::bigint AS request_count
           FROM usage_sums($2, $3) WHERE user_id = u.id GROUP BY 1 HAVING sum(request_count) > 0) h
        WHERE u.username = ANY($1::text[]) ORDER BY u.username, h.request_count DESC, h.model_name`,
      values,
    ),
  ]);
  return {
    users: users.rows.map((row) => ({ username: row.username, ...sumOf(row) })),
    models: models.rows.map((row) => ({ ...row, request_count: Number(row.request_count) })),
  };
}
