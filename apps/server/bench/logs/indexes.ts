/** Space of the log and its roll-ups, and how often the screens read each index. */
import type pg from "pg";

/** Why each index exists. */
const purposes: Readonly<Record<string, string>> = {
  pkey: "the newest calls, periods, pages by cursor, retention",
  user_time_idx: "calls of a user",
  user_model_time_idx: "calls of a user with a model",
  user_addresses_idx: "calls of a user from an address, where both are frequent alone",
  user_type_idx: "failed calls and top-ups of a user; charged calls are not in it",
  type_idx: "failed calls and top-ups; charged calls are not in it",
  channel_time_idx: "calls through a channel",
  model_time_idx: "calls of a model",
  token_time_idx: "calls with a token's name",
  address_time_idx: "calls from an address",
  session_idx: "calls of an agent's session; others are not in it",
  billing_tag_idx: "calls with a billing tag; others are not in it",
  derived_key_idx: "calls with a derived key; others are not in it",
  request_hash_idx: "one call by its request id, for support and for answers that were lost",
  id_range_idx: "one call by its number: its bill",
};

/** Resets the read counters. */
export async function forgetReads(pool: pg.Pool): Promise<void> {
  await pool.query("SELECT pg_stat_reset()");
}

/**
 * Returns rows of a Markdown table: index, purpose, bytes per call, reads since `forgetReads`. Partitions are
 * summed.
 */
export async function indexUse(pool: pg.Pool): Promise<string[]> {
  // Every connection reports its reads at most once per second.
  await pool.query("SELECT pg_sleep(1.5)");
  const { rows } = await pool.query<{ name: string; bytes: string; reads: string }>(
    `WITH calls AS (SELECT GREATEST(1, count(*)) AS many FROM request_logs)
     SELECT replace(i.relname, 'request_logs_', '') AS name, round(sum(pg_relation_size(s.indexrelid)) / max(many), 1) AS bytes, sum(s.idx_scan) AS reads
     FROM pg_index d
     JOIN pg_class i ON i.oid = d.indexrelid
     JOIN pg_inherits h ON h.inhparent = i.oid
     JOIN pg_stat_user_indexes s ON s.indexrelid = h.inhrelid
     CROSS JOIN calls
     WHERE d.indrelid = 'request_logs'::regclass
     GROUP BY i.relname ORDER BY i.relname`,
  );
  return rows.map(
    ({ name, bytes, reads }) => `| ${name} | ${purposes[name] ?? "unknown: drop it"} | ${bytes} | ${reads} |`,
  );
}

/** Returns rows of a Markdown table: table, and bytes per call of its rows, its indexes and both. */
export async function spaceOf(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<Record<"name" | "own" | "indexes" | "total", string>>(
    `WITH calls AS (SELECT GREATEST(1, count(*)) AS many FROM request_logs), parts AS (
       SELECT inhrelid AS id, 'request_logs' AS name FROM pg_inherits WHERE inhparent = 'request_logs'::regclass
       UNION ALL SELECT t::regclass, t FROM unnest(ARRAY['usage_hours', 'usage_days', 'usage_totals']) t)
     SELECT name, round(sum(pg_table_size(id)) / max(many)) AS own, round(sum(pg_indexes_size(id)) / max(many)) AS indexes,
       round(sum(pg_total_relation_size(id)) / max(many)) AS total
     FROM parts, calls GROUP BY name ORDER BY name`,
  );
  return rows.map(({ name, own, indexes, total }) => `| ${name} | ${own} | ${indexes} | ${total} |`);
}
