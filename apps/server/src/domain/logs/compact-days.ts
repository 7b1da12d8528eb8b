/**
 * Rewrites days of the log that have ended: bills and attempts in a short form, indexes without gaps. Nodes write the
 * long form, which readers of every version understand. A day is copied beside the log, then takes the place of the
 * original in one transaction, so an interrupted run loses only the copy of one day.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { currentTime } from "#platform/clock.ts";
import { advisoryLocks } from "#platform/database/advisory-locks.ts";
import { isLockTimeout } from "#platform/database/connection-loss.ts";
import type { Pool } from "#platform/database/db.ts";
import { readStatement } from "#platform/database/prepared-statement.ts";

/** Days that are left as they were written: calls that take long are added to the day in which they began. */
const WRITTEN_DAYS = 2;
/** A comment marks rewritten days. A later form gets another one. */
const MARK = "compact 1";
const COPY = "request_logs_compact";
const dayMs = 86_400_000;
const portionMs = 3_600_000;

/** Attempts to take the place of a day, and the pause between two of them. */
const ATTEMPTS = 5;
const AGAIN_MS = 1_000;

const { text: copyRows } = readStatement(import.meta.url, "compact-rows.sql");

/**
 * Rewrites all days that ended long enough ago, newest first. Returns their names; none while another node does it.
 * @param stopping ends the work within one hour of the log
 */
export async function compactDays(
  pool: Pool,
  { now = currentTime(), stopping }: { now?: Date; stopping?: AbortSignal } = {},
): Promise<string[]> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ mine: boolean }>("SELECT pg_try_advisory_lock($1) AS mine", [
      advisoryLocks.compactLogDays,
    ]);
    if (rows[0]?.mine !== true) return [];
    const done: string[] = [];
    try {
      for (const name of await daysToCompact(client, now)) {
        if (await compactDay(client, name, stopping)) done.push(name);
        if (stopping?.aborted === true) break;
      }
      return done;
    } finally {
      await client.query(`DROP TABLE IF EXISTS ${COPY}`);
      await client.query("SELECT pg_advisory_unlock($1)", [advisoryLocks.compactLogDays]);
    }
  } finally {
    client.release();
  }
}

async function daysToCompact(client: pg.PoolClient, now: Date): Promise<string[]> {
  const until = new Date(now.getTime() - (WRITTEN_DAYS - 1) * dayMs).toISOString().slice(0, 10);
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'request_logs'::regclass AND c.relname ~ '^request_logs_\\d{8}$' AND c.relname < $1
       AND obj_description(c.oid, 'pg_class') IS DISTINCT FROM $2
     ORDER BY c.relname DESC`,
    [`request_logs_${until.replaceAll("-", "")}`, MARK],
  );
  return rows.map(({ name }) => name);
}

/** Returns whether the day was rewritten; false when the work was stopped, or the day is in use or gone. */
async function compactDay(client: pg.PoolClient, name: string, stopping?: AbortSignal): Promise<boolean> {
  const from = Date.parse(name.replace(/^.*_(\d{4})(\d\d)(\d\d)$/, "$1-$2-$3T00:00:00Z"));
  await client.query(`DROP TABLE IF EXISTS ${COPY}`);
  await client.query(`CREATE TABLE ${COPY} (LIKE request_logs INCLUDING DEFAULTS INCLUDING STORAGE)`);
  for (let at = from; at < from + dayMs; at += portionMs) {
    if (stopping?.aborted === true) return false;
    await client.query(copyRows, [new Date(at), new Date(at + portionMs)]);
  }
  await buildIndexes(client);
  const [first, next] = [from, from + dayMs].map((time) => `'${new Date(time).toISOString()}'`);
  // With this check, Postgres skips the scan when the copy is attached.
  await client.query(
    `ALTER TABLE ${COPY} ADD CONSTRAINT ${COPY}_day CHECK (created_at >= ${first} AND created_at < ${next})`,
  );
  await client.query(`VACUUM (FREEZE, ANALYZE) ${COPY}`);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    if (attempt > 1) await sleep(AGAIN_MS);
    try {
      return await replaceDay(client, name, `FROM (${first}) TO (${next})`);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
    }
  }
  return false;
}

/** Builds the indexes of the log on the copy. Hardly any rows are added, so their pages are filled. */
async function buildIndexes(client: pg.PoolClient): Promise<void> {
  await client.query(
    `ALTER TABLE ${COPY} ADD CONSTRAINT ${COPY}_pkey PRIMARY KEY (created_at, id) WITH (fillfactor = 100)`,
  );
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT quote_ident(replace(i.relname, 'request_logs', '${COPY}')) AS name,
       substring(pg_get_indexdef(i.oid) FROM 'USING .*$') AS definition
     FROM pg_index d JOIN pg_class i ON i.oid = d.indexrelid
     WHERE d.indrelid = 'request_logs'::regclass AND NOT d.indisprimary ORDER BY i.relname`,
  );
  for (const { name, definition } of rows) {
    const isPlain = /^USING btree .*\)$/.test(definition) && !definition.includes(" WHERE ");
    await client.query(
      `CREATE INDEX ${name} ON ${COPY} ${definition}${isPlain ? " WITH (fillfactor = 100)" : ""}`,
    );
  }
}

/**
 * Puts the copy in the place of the day. Returns false if retention has dropped the day. Throws when a lock is not
 * free: waits are shorter than Postgres needs to find a deadlock, so that the ledger never loses one.
 */
async function replaceDay(client: pg.PoolClient, name: string, bounds: string): Promise<boolean> {
  await client.query("BEGIN");
  try {
    await client.query("SET LOCAL lock_timeout = '500ms'");
    await client.query("SELECT pg_advisory_xact_lock($1)", [advisoryLocks.keepLogDays]);
    const { rowCount } = await client.query(
      "SELECT FROM pg_inherits WHERE inhparent = 'request_logs'::regclass AND inhrelid = to_regclass($1)",
      [name],
    );
    if (rowCount === 0) {
      await client.query("ROLLBACK");
      return false;
    }
    // Calls of this day that end now wait; the log as a whole is locked for the exchange alone.
    await client.query(`LOCK TABLE ${name} IN SHARE ROW EXCLUSIVE MODE`);
    await client.query(`INSERT INTO ${COPY} SELECT d.* FROM ${name} d
      WHERE NOT EXISTS (SELECT FROM ${COPY} c WHERE c.created_at = d.created_at AND c.id = d.id)`);
    await client.query(`ALTER TABLE request_logs DETACH PARTITION ${name}`);
    await client.query(`DROP TABLE ${name}`);
    await client.query(`ALTER TABLE ${COPY} RENAME TO ${name}`);
    const { rows } = await client.query<{ old: string; new: string }>(
      `SELECT quote_ident(relname) AS old, quote_ident(replace(relname, '${COPY}', '${name}')) AS new
       FROM pg_index JOIN pg_class ON oid = indexrelid WHERE indrelid = $1::regclass`,
      [name],
    );
    for (const index of rows) await client.query(`ALTER INDEX ${index.old} RENAME TO ${index.new}`);
    await client.query(`ALTER TABLE request_logs ATTACH PARTITION ${name} FOR VALUES ${bounds}`);
    await client.query(`ALTER TABLE ${name} DROP CONSTRAINT ${COPY}_day`);
    await client.query(`COMMENT ON TABLE ${name} IS '${MARK}'`);
    await client.query("COMMIT");
    return true;
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  }
}
