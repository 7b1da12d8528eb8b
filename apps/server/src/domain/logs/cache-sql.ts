/**
 * The SQL of what a provider's prompt cache saved and what moves between channels cost, from the bills in the
 * log. docs/sessions.md describes the formulas. All ratios are those that were charged.
 */
import { LogType } from "@gateway/shared/usage/log-type";
import type { CacheSums, CallSums } from "@gateway/shared/usage/session";

/** A call that failed before its model was known has the requested model only in the facts of its failure. */
const requestedModel = `CASE WHEN l.model_name <> '' THEN l.model_name ELSE COALESCE(jsonb_path_query_first(l.content_facts,
      '$[*] ? (@.code == "model_not_found" || @.code == "price_missing").params.model') #>> '{}', '') END`;

/**
 * Returns SQL for one row per call of `source`, with the tokens and ratios of its bill. A bill without
 * uncached input does not contain the ratio of input; the price version does.
 * @param source rows of the log
 */
export function billedCalls(source: string): string {
  return `SELECT l.created_at, l.id, l.request_id, l.type, l.user_id, l.username, l.channel_id, l.model_name, l.error_code,
    l.request_time,
    ${requestedModel} AS requested_model,
    l.prompt_tokens AS input, l.completion_tokens AS output,
    CASE WHEN l.type = ${LogType.consume} THEN l.quota ELSE 0 END AS quota,
    l.session ->> 'id' AS session, COALESCE(l.session ->> 'agent', '') AS agent,
    COALESCE(l.session ->> 'parent', '') AS parent, COALESCE(b.cached, 0) AS cached,
    CASE WHEN l.type = ${LogType.consume} AND l.prompt_tokens > 0 AND r.input IS NOT NULL THEN r.input END AS input_ratio,
    b.read_ratio,
    GREATEST(0, COALESCE(b.cached * (r.input - b.read_ratio), 0)) AS saved,
    GREATEST(0, COALESCE(b.write_points - b.written * r.input, 0)) AS write_extra
  FROM (${source}) l
  LEFT JOIN price_versions p ON p.id = l.price_version_id
  CROSS JOIN LATERAL (SELECT string_to_array(l.bill_facts, ' ') AS parts) f
  LEFT JOIN LATERAL (
    SELECT g.ratio AS group_ratio, max(x.ratio * g.ratio) FILTER (WHERE x.kind = 'input') AS input_ratio,
      sum(x.amount) FILTER (WHERE ${isRead}) AS cached, max(x.ratio * g.ratio) FILTER (WHERE ${isRead}) AS read_ratio,
      sum(x.amount) FILTER (WHERE ${isWrite}) AS written,
      sum(x.amount * x.ratio * g.ratio) FILTER (WHERE ${isWrite}) AS write_points
    FROM (
      SELECT * FROM jsonb_to_recordset(CASE jsonb_typeof(l.bill -> 'lines') WHEN 'array' THEN l.bill -> 'lines' ELSE '[]' END)
        AS line(kind text, amount numeric, ratio numeric)
      UNION ALL
      SELECT f.parts[place], f.parts[place + 1]::numeric, f.parts[place + 2]::numeric
      FROM generate_series(3, cardinality(f.parts) - 2, 3) AS place
    ) x
    CROSS JOIN (SELECT COALESCE(f.parts[2], l.bill ->> 'group_ratio')::numeric AS ratio) g
    GROUP BY g.ratio
  ) b ON true
  CROSS JOIN LATERAL (SELECT COALESCE(b.input_ratio, (p.snapshot ->> 'input')::numeric * b.group_ratio) AS input) r`;
}

const isRead = "x.kind IN ('cached_tokens', 'cached_read_tokens')";
const isWrite = "x.kind IN ('cached_write_tokens', 'cached_write_1h_tokens')";

/**
 * Returns SQL for the moves among `calls`: calls of a session on another channel than the previous charged call
 * of the same agent and model. A move costs what the previous share of cached input would have saved, at the
 * discount of the previous call.
 */
export function movesOf(calls: string): string {
  return `SELECT m.*, GREATEST(0, floor(m.input * m.before) - m.cached) AS lost,
    GREATEST(0, floor(m.input * m.before) - m.cached) * COALESCE(m.input_ratio * (1 - m.discounted), 0) AS cost
  FROM (
    SELECT c.*, lag(c.channel_id) OVER w AS from_channel_id,
      lag(LEAST(1, c.cached / NULLIF(c.input, 0))) OVER w AS before,
      lag(c.read_ratio / NULLIF(c.input_ratio, 0)) OVER w AS discounted
    FROM ${calls} c WHERE c.session IS NOT NULL AND c.type = ${LogType.consume} AND c.channel_id > 0
    WINDOW w AS (PARTITION BY c.user_id, c.session, c.agent, c.model_name ORDER BY c.created_at, c.id)
  ) m WHERE m.from_channel_id <> m.channel_id`;
}

/** The sums of calls, for the columns of `billedCalls`. */
export const callSums = `count(*)::int AS calls, count(*) FILTER (WHERE c.type = ${LogType.failed})::int AS failed,
  COALESCE(sum(c.input), 0)::bigint AS input, COALESCE(sum(c.output), 0)::bigint AS output,
  COALESCE(sum(c.cached), 0)::bigint AS cached, COALESCE(sum(c.quota), 0)::bigint AS quota,
  COALESCE(floor(sum(c.saved)), 0)::bigint AS saved, COALESCE(ceil(sum(c.write_extra)), 0)::bigint AS write_extra`;

export type CallSumRow = Record<Exclude<keyof CallSums, "calls" | "failed">, bigint> &
  Pick<CallSums, "calls" | "failed">;

export function callSumsOf(row: CallSumRow): CallSums {
  const { calls, failed } = row;
  return { calls, failed, output: Number(row.output), quota: Number(row.quota), ...cacheSumsOf(row) };
}

export function cacheSumsOf(row: Record<keyof CacheSums, bigint>): CacheSums {
  return {
    input: Number(row.input),
    cached: Number(row.cached),
    saved: Number(row.saved),
    write_extra: Number(row.write_extra),
  };
}
