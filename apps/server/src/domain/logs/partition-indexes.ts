/**
 * Gives every partition the indexes of its table. A migration creates a new index ON ONLY the table, which is
 * immediate. This module builds it per day without blocking writers. The table's index becomes valid with
 * the last partition. An index that it replaces is dropped then.
 */
import type pg from "pg";
import { advisoryLocks } from "#platform/database/advisory-locks.ts";
import { isLockTimeout } from "#platform/database/connection-loss.ts";
import type { Pool } from "#platform/database/db.ts";

/** Indexes of the log by what replaces them: they serve searches until the new one is valid. */
const replaced = {
  request_logs_user_time_idx: "request_logs_user_id_idx",
  request_logs_channel_time_idx: "request_logs_channel_id_idx",
  request_logs_model_time_idx: "request_logs_model_name_idx",
  request_logs_token_time_idx: "request_logs_token_name_idx",
  request_logs_address_time_idx: "request_logs_source_ip_idx",
  request_logs_user_model_time_idx: "request_logs_user_model_idx",
  request_logs_user_addresses_idx: "request_logs_user_address_idx",
  request_logs_request_hash_idx: "request_logs_request_id_idx",
  request_logs_id_range_idx: "request_logs_id_idx",
} as const;

interface Missing {
  /** Index of the table. */
  parent: string;
  /** Definition in the syntax of CREATE INDEX, from USING on. */
  definition: string;
  partition: string;
  /** Name of the partition's index. */
  name: string;
  /** State of an index from an earlier run that is not attached; "broken" when its build was interrupted. */
  left: "nothing" | "whole" | "broken";
}

/** Returns the names of the indexes that were built or attached; none when another node is building. */
export async function completeIndexes(pool: Pool): Promise<string[]> {
  const client = await pool.connect();
  try {
    // Does not wait: a session that waits for a lock blocks every index build in the meantime.
    const { rows } = await client.query<{ mine: boolean }>("SELECT pg_try_advisory_lock($1) AS mine", [
      advisoryLocks.buildLogIndexes,
    ]);
    if (rows[0]?.mine !== true) return [];
    try {
      const missing = await missingIndexes(client);
      for (const index of missing) await build(client, index);
      await dropReplaced(client);
      return missing.map((index) => index.name);
    } finally {
      await client.query("SELECT pg_advisory_unlock($1)", [advisoryLocks.buildLogIndexes]);
    }
  } finally {
    client.release();
  }
}

/** Returns missing indexes, newest day first, because recent days are read most. */
async function missingIndexes(client: pg.PoolClient): Promise<Missing[]> {
  const { rows } = await client.query<Missing>(
    `SELECT quote_ident(i.relname) AS parent,
       substring(pg_get_indexdef(i.oid) FROM 'USING .*$') AS definition,
       quote_ident(c.relname) AS partition, n.name,
       CASE WHEN x.indexrelid IS NULL THEN 'nothing' WHEN x.indisvalid THEN 'whole' ELSE 'broken' END AS left
     FROM pg_index d
     JOIN pg_class i ON i.oid = d.indexrelid
     JOIN pg_class p ON p.oid = d.indrelid AND p.relkind = 'p'
     JOIN pg_inherits h ON h.inhparent = p.oid
     JOIN pg_class c ON c.oid = h.inhrelid
     CROSS JOIN LATERAL (SELECT quote_ident(c.relname || replace(i.relname, p.relname, '')) AS name) n
     LEFT JOIN pg_index x ON x.indexrelid = to_regclass(n.name)
     WHERE NOT d.indisvalid AND pg_table_is_visible(p.oid) AND NOT EXISTS (
       SELECT FROM pg_index o JOIN pg_inherits a ON a.inhrelid = o.indexrelid
       WHERE o.indrelid = c.oid AND a.inhparent = i.oid)
     ORDER BY c.relname DESC, i.relname`,
  );
  return rows;
}

async function build(client: pg.PoolClient, index: Missing): Promise<void> {
  const { parent, definition, partition, name, left } = index;
  if (left === "broken") await client.query(`DROP INDEX CONCURRENTLY ${name}`);
  if (left !== "whole") {
    await client.query(`CREATE INDEX CONCURRENTLY ${name} ON ${partition} ${definition}`);
  }
  await client.query(`ALTER INDEX ${parent} ATTACH PARTITION ${name}`);
}

async function dropReplaced(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ old: string }>(
    `SELECT r.old FROM unnest($1::text[], $2::text[]) AS r(new, old)
     JOIN pg_index d ON d.indexrelid = to_regclass(r.new) AND d.indisvalid
     WHERE to_regclass(r.old) IS NOT NULL`,
    [Object.keys(replaced), Object.values(replaced)],
  );
  if (rows.length === 0) return;
  await client.query("BEGIN");
  try {
    // It waits for every statement on the log. Calls wait behind it, so it rather tries again an hour later.
    await client.query("SET LOCAL lock_timeout = '2s'");
    await client.query(`DROP INDEX ${rows.map(({ old }) => old).join(", ")}`);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    if (!isLockTimeout(error)) throw error;
  }
}
