import type { Period } from "@gateway/shared/usage/analytics";
import type { Pool } from "#platform/database/db.ts";
import type { LocalDay } from "#platform/local-days.ts";
import type { Span } from "./pieces.ts";

/** New accounts, redeemed codes, paid orders and balance changes, by local day. */
export type MoneyOfPeriod = Pick<
  Period,
  "user_statistics" | "redemption_statistics" | "order_statistics" | "credit_statistics"
>;

export async function moneyOfPeriod(
  pool: Pool,
  { span, days, userId }: { span: Span; days: readonly LocalDay[]; userId?: number },
): Promise<MoneyOfPeriod> {
  const values = [span.from, span.to, days.map((day) => day.start), userId ?? null];
  const dateOf = (day: number) => days[day - 1]?.date ?? "";
  const [users, codes, orders, credits] = await Promise.all([
    pool.query<{ day: number; user_count: bigint; inviter_user_count: bigint }>(
      `SELECT width_bucket(created_time, $3::timestamptz[]) AS day, count(*) AS user_count,
              count(inviter_id) AS inviter_user_count
         FROM users WHERE created_time >= $1 AND created_time < $2 AND ($4::int IS NULL OR id = $4)
        GROUP BY 1 ORDER BY 1`,
      values,
    ),
    pool.query<{ day: number; quota: bigint; user_count: bigint }>(
      `SELECT width_bucket(redeemed_time, $3::timestamptz[]) AS day, sum(quota)::bigint AS quota,
              count(DISTINCT redeemed_by) AS user_count
         FROM redemptions
        WHERE status = 3 AND redeemed_time >= $1 AND redeemed_time < $2 AND ($4::int IS NULL OR redeemed_by = $4)
        GROUP BY 1 ORDER BY 1`,
      values,
    ),
    pool.query<{ day: number; order_currency: string; order_amount: number; count: bigint }>(
      `SELECT width_bucket(updated_at, $3::timestamptz[]) AS day, order_currency,
              sum(order_amount)::float8 AS order_amount, count(*) AS count
         FROM orders
        WHERE status = 'success' AND updated_at >= $1 AND updated_at < $2 AND ($4::int IS NULL OR user_id = $4)
        GROUP BY 1, 2 ORDER BY 1, 2`,
      values,
    ),
    pool.query<{ day: number; kind: string; quota: bigint; user_count: bigint }>(
      `SELECT width_bucket(created_time, $3::timestamptz[]) AS day, kind, sum(amount)::bigint AS quota,
              count(DISTINCT user_id) AS user_count
         FROM ledger_entries
        WHERE created_time >= $1 AND created_time < $2 AND ($4::int IS NULL OR user_id = $4)
        GROUP BY 1, 2 ORDER BY 1, 2`,
      values,
    ),
  ]);
  return {
    user_statistics: users.rows.map((row) => ({
      date: dateOf(row.day),
      user_count: Number(row.user_count),
      inviter_user_count: Number(row.inviter_user_count),
    })),
    redemption_statistics: codes.rows.map((row) => ({
      date: dateOf(row.day),
      quota: Number(row.quota),
      user_count: Number(row.user_count),
    })),
    order_statistics: orders.rows.map((row) => ({
      date: dateOf(row.day),
      order_currency: row.order_currency,
      order_amount: row.order_amount,
      count: Number(row.count),
    })),
    credit_statistics: credits.rows.map((row) => ({
      date: dateOf(row.day),
      kind: row.kind,
      quota: Number(row.quota),
      user_count: Number(row.user_count),
    })),
  };
}
