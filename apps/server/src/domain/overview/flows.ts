/** Paths of calls from users to channels, and each channel's revenue, from the roll-ups. */
import type { Amounts, FlowPath } from "@gateway/shared/usage/insights";
import type { Span } from "#domain/usage/pieces.ts";
import type { Pool } from "#platform/database/db.ts";

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

interface Row {
  kind: "path" | "money";
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
  cost: number;
  without_cost: bigint;
}

/** Parameters: $1 from, $2 to, $3 user or null for all. */
const sql = `
WITH sums AS MATERIALIZED (
  SELECT user_id, token_id, "group", model, channel_id, sum(quota)::bigint AS quota,
         sum(request_count)::bigint AS succeeded, sum(failed_count)::bigint AS failed,
         sum(prompt_tokens + completion_tokens)::bigint AS tokens
    FROM usage_sums($1, $2) WHERE $3::int IS NULL OR user_id = $3 GROUP BY 1, 2, 3, 4, 5)
SELECT 'path' AS kind, p.*, 0::float8 AS cost, 0::bigint AS without_cost
  FROM (SELECT user_id, token_id, "group", model, channel_id, quota, succeeded + failed AS requests, tokens, failed,
               sum(quota) OVER ()::bigint AS all_quota, sum(succeeded + failed) OVER ()::bigint AS all_requests,
               sum(tokens) OVER ()::bigint AS all_tokens, sum(failed) OVER ()::bigint AS all_failed
          FROM sums
         ORDER BY quota DESC, requests DESC, user_id, token_id, "group", model, channel_id LIMIT ${mostPaths}) p
UNION ALL
-- The list price is the charge divided by the current ratio of its group.
SELECT 'money', 0, 0, '', '', s.channel_id, COALESCE(sum(s.quota) FILTER (WHERE g.ratio > 0), 0)::bigint,
       0, 0, 0, 0, 0, 0, 0, COALESCE(sum(s.quota / g.ratio) FILTER (WHERE g.ratio > 0), 0)::float8,
       COALESCE(sum(s.succeeded) FILTER (WHERE g.ratio IS NULL OR g.ratio = 0), 0)::bigint
  FROM sums s LEFT JOIN user_groups g ON g.symbol = s."group"
 WHERE s.channel_id <> 0 GROUP BY s.channel_id
 ORDER BY kind, quota DESC, requests DESC, user_id, token_id, "group", model, channel_id`;

/**
 * One scan of the period for both: with ten million calls it reads hundreds of thousands of rows of a week.
 *
 * @param span limited by the caller to a number of days that can be read at once
 * @param userId undefined means all users
 */
export async function flowsOf(pool: Pool, span: Span, userId?: number): Promise<Flows> {
  const rows = await read(pool, span, userId);
  const paths = rows.filter(({ kind }) => kind === "path");
  const money = rows.filter(({ kind }) => kind === "money");
  const shown = paths.map((row): FlowPath => ({
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
  const [first] = paths;
  const remainderOf = (all: bigint | undefined, of: (path: FlowPath) => number) =>
    Number(all ?? 0n) - shown.reduce((sum, path) => sum + of(path), 0);
  return {
    paths: shown,
    rest: {
      quota: remainderOf(first?.all_quota, (path) => path.quota),
      requests: remainderOf(first?.all_requests, (path) => path.requests),
      tokens: remainderOf(first?.all_tokens, (path) => path.tokens),
      failed: remainderOf(first?.all_failed, (path) => path.failed),
    },
    money: new Map(
      money.map((row) => [
        row.channel_id,
        { charged: Number(row.quota), cost: Math.round(row.cost), without_cost: Number(row.without_cost) },
      ]),
    ),
  };
}

/**
 * Reads with enough memory to group a month's paths by hash. With the default of 4 MB, Postgres would sort all rows on disk. Its estimate
 * of the number of paths is from the statistics `usage_hours_paths` and `usage_days_paths`.
 */
async function read(pool: Pool, span: Span, userId: number | undefined): Promise<Row[]> {
  const client = await pool.connect();
  let isOpen = true;
  try {
    await client.query("BEGIN READ ONLY; SET LOCAL work_mem = '32MB'");
    const { rows } = await client.query<Row>(sql, [span.from, span.to, userId ?? null]);
    await client.query("COMMIT");
    isOpen = false;
    return rows;
  } finally {
    // After an error the connection is closed together with its transaction.
    client.release(isOpen);
  }
}
