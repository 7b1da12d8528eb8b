import type { SiteStatistics } from "@gateway/shared/usage/analytics";
import { unixTime } from "#platform/clock.ts";
import type { Pool } from "#platform/database/db.ts";
import { lastMinute } from "./last-minute.ts";

/**
 * Returns the site's current state: balances, accounts, channels, codes, orders, the last minute and audit.
 */
export async function describeSite(pool: Pool): Promise<SiteStatistics> {
  const [users, channels, codes, orders, rate, audits] = await Promise.all([
    pool.query<Record<"quota" | "used" | "reserved" | "users" | "invited", bigint>>(
      // Balances of deleted accounts do not count, but their past usage does.
      `SELECT COALESCE(sum(quota) FILTER (WHERE deleted_at IS NULL), 0)::bigint AS quota,
              COALESCE(sum(used_quota), 0)::bigint AS used,
              COALESCE(sum(reserved), 0)::bigint AS reserved,
              count(*) FILTER (WHERE deleted_at IS NULL) AS users,
              count(inviter_id) FILTER (WHERE deleted_at IS NULL) AS invited
         FROM users`,
    ),
    pool.query<{ status: number; count: bigint }>(
      "SELECT status, count(*) AS count FROM channels WHERE deleted_at IS NULL GROUP BY 1 ORDER BY 1",
    ),
    pool.query<{ status: number; count: bigint; quota: bigint }>(
      `SELECT status, count(*) AS count, sum(quota)::bigint AS quota
         FROM redemptions WHERE status <> 2 GROUP BY 1 ORDER BY 1`,
    ),
    pool.query<{ order_currency: string; count: bigint; money: number; quota: bigint }>(
      `SELECT order_currency, count(*) AS count, sum(order_amount)::float8 AS money, sum(quota)::bigint AS quota
         FROM orders WHERE status = 'success' GROUP BY 1 ORDER BY 1`,
    ),
    lastMinute(pool),
    pool.query<{ created_time: Date; checked: number; drift: bigint }>(
      "SELECT created_time, checked, drift FROM audit_runs ORDER BY id DESC LIMIT 1",
    ),
  ]);
  const [sums] = users.rows;
  const [audit] = audits.rows;
  return {
    user_statistics: {
      total_quota: Number(sums?.quota ?? 0n),
      total_used_quota: Number(sums?.used ?? 0n),
      total_reserved: Number(sums?.reserved ?? 0n),
      total_user: Number(sums?.users ?? 0n),
      total_inviter_user: Number(sums?.invited ?? 0n),
    },
    channel_statistics: channels.rows.map((row) => ({
      status: row.status,
      total_channels: Number(row.count),
    })),
    redemption_statistic: codes.rows.map((row) => ({
      status: row.status,
      count: Number(row.count),
      quota: Number(row.quota),
    })),
    order_statistics: orders.rows.map((row) => ({
      order_currency: row.order_currency,
      count: Number(row.count),
      money: row.money,
      quota: Number(row.quota),
    })),
    rate,
    audit:
      audit === undefined
        ? null
        : {
            created_time: unixTime(audit.created_time),
            checked: audit.checked,
            drift: Number(audit.drift),
          },
  };
}
