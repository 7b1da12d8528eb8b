import type { Amounts, FlowPath } from "@gateway/shared/usage/insights";
import type { Span } from "#domain/usage/pieces.ts";
import type { Pool } from "#platform/database/db.ts";

/** Paths of calls from users to channels, and each channel's revenue, from the hourly roll-up. */

const mostPaths = 200;

interface Money {
  charged: number;
  cost: number;
  without_cost: number;
}

export interface Flows {
  paths: FlowPath[];
  rest: Amounts;
  /** By channel. */
  money: Map<number, Money>;
}

interface PathRow {
  user_id: number;
  token_id: number;
  group: string;
  model: string;
  channel_id: number;
  quota: bigint;
  requests: bigint;
  tokens: bigint;
  failed: bigint;
  all_quota: bigint;
  all_requests: bigint;
  all_tokens: bigint;
  all_failed: bigint;
}

/** @param span limited by the caller to a number of days that can be read at once */
export async function flowsOf(pool: Pool, span: Span): Promise<Flows> {
  const [paths, money] = await Promise.all([
    pool.query<PathRow>(
      `SELECT *, sum(quota) OVER ()::bigint AS all_quota, sum(requests) OVER ()::bigint AS all_requests,
              sum(tokens) OVER ()::bigint AS all_tokens, sum(failed) OVER ()::bigint AS all_failed
         FROM (SELECT user_id, token_id, "group", model, channel_id, sum(quota)::bigint AS quota,
                      sum(request_count + failed_count)::bigint AS requests,
                      sum(prompt_tokens + completion_tokens)::bigint AS tokens, sum(failed_count)::bigint AS failed
                 FROM usage_hours WHERE hour >= $1 AND hour < $2 GROUP BY 1, 2, 3, 4, 5) p
        ORDER BY quota DESC, requests DESC, user_id, token_id, "group", model, channel_id LIMIT ${mostPaths}`,
      [span.from, span.to],
    ),
    // The list price is the charge divided by the current ratio of its group.
    pool.query<{ channel_id: number; charged: bigint; cost: number; without_cost: bigint }>(
      `SELECT h.channel_id, COALESCE(sum(h.quota) FILTER (WHERE g.ratio > 0), 0)::bigint AS charged,
              COALESCE(sum(h.quota / g.ratio) FILTER (WHERE g.ratio > 0), 0)::float8 AS cost,
              COALESCE(sum(h.request_count) FILTER (WHERE g.ratio IS NULL OR g.ratio = 0), 0)::bigint AS without_cost
         FROM usage_hours h LEFT JOIN user_groups g ON g.symbol = h."group"
        WHERE h.hour >= $1 AND h.hour < $2 AND h.channel_id <> 0 GROUP BY 1`,
      [span.from, span.to],
    ),
  ]);
  const shown = paths.rows.map((row): FlowPath => ({
    user_id: row.user_id,
    token_id: row.token_id,
    group: row.group,
    model: row.model,
    channel_id: row.channel_id,
    quota: Number(row.quota),
    requests: Number(row.requests),
    tokens: Number(row.tokens),
    failed: Number(row.failed),
  }));
  const [first] = paths.rows;
  const left = (all: bigint | undefined, of: (path: FlowPath) => number) =>
    Number(all ?? 0n) - shown.reduce((sum, path) => sum + of(path), 0);
  return {
    paths: shown,
    rest: {
      quota: left(first?.all_quota, (path) => path.quota),
      requests: left(first?.all_requests, (path) => path.requests),
      tokens: left(first?.all_tokens, (path) => path.tokens),
      failed: left(first?.all_failed, (path) => path.failed),
    },
    money: new Map(
      money.rows.map((row) => [
        row.channel_id,
        { charged: Number(row.charged), cost: Math.round(row.cost), without_cost: Number(row.without_cost) },
      ]),
    ),
  };
}
