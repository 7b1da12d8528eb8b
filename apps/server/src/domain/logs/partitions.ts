import type pg from "pg";
import { currentTime } from "#platform/clock.ts";
import { advisoryLocks } from "#platform/database/advisory-locks.ts";
import type { Pool } from "#platform/database/db.ts";

/**
 * Daily partitions (UTC) of the request log and of the stored bodies: old days are dropped, not deleted row
 * by row. A row without a partition goes to the default partition and moves when its day gets one.
 */
const tables = ["request_logs", "request_bodies"] as const;
type Table = (typeof tables)[number];

export interface Partition {
  table: Table;
  name: string;
  /** Day in the format 2026-11-21. */
  day: string;
  bytes: number;
}

const dayMs = 86_400_000;

/**
 * Creates the partitions from today to `daysAhead` days later.
 * @param daysBehind also creates those of the request log for so many days before, for an import of an older log
 */
export async function ensurePartitions(
  pool: Pool,
  daysAhead: number,
  { now = currentTime(), daysBehind = 0 }: { now?: Date; daysBehind?: number } = {},
): Promise<void> {
  const today = dayOf(now);
  const days = Array.from({ length: daysBehind + daysAhead + 1 }, (_, index) =>
    dayOf(new Date(now.getTime() + (index - daysBehind) * dayMs)),
  );
  await alone(pool, async (client) => {
    const existing = new Set((await partitions(client)).map((partition) => partition.name));
    for (const table of tables) {
      for (const day of days) {
        if (table === "request_bodies" && day < today) continue;
        if (!existing.has(nameOf(table, day))) await addPartition(client, table, day);
      }
    }
  });
}

/**
 * Drops every day that ended more than `keepDays` days ago, of both tables or one.
 * Returns the dropped partitions.
 */
export async function dropPartitions(
  pool: Pool,
  keepDays: number,
  { now = currentTime(), only }: { now?: Date; only?: Table } = {},
): Promise<Partition[]> {
  const oldestKept = dayOf(new Date(now.getTime() - keepDays * dayMs));
  return alone(pool, async (client) => {
    const old = (await partitions(client)).filter(
      ({ day, table }) => day < oldestKept && (only === undefined || table === only),
    );
    for (const partition of old) await dropPartition(client, partition);
    for (const table of only === undefined ? tables : [only]) {
      await client.query(`DELETE FROM ${table}_default WHERE created_at < $1`, [`${oldestKept}T00:00:00Z`]);
    }
    return old;
  });
}

/** Drops the oldest days until both tables fit into `maxBytes`. It never drops today. */
export async function dropPartitionsBeyond(
  pool: Pool,
  maxBytes: number,
  now = currentTime(),
): Promise<Partition[]> {
  const today = dayOf(now);
  return alone(pool, async (client) => {
    const oldestFirst = (await partitions(client)).sort((a, b) => (a.day < b.day ? -1 : 1));
    let bytes = oldestFirst.reduce((sum, partition) => sum + partition.bytes, 0);
    const dropped: Partition[] = [];
    for (const partition of oldestFirst) {
      if (bytes <= maxBytes || partition.day >= today) break;
      await dropPartition(client, partition);
      bytes -= partition.bytes;
      dropped.push(partition);
    }
    return dropped;
  });
}

export async function listPartitions(pool: Pool): Promise<Partition[]> {
  const client = await pool.connect();
  try {
    return await partitions(client);
  } finally {
    client.release();
  }
}

async function partitions(client: pg.PoolClient): Promise<Partition[]> {
  const { rows } = await client.query<{ table: Table; name: string; bytes: bigint }>(
    `SELECT p.relname AS "table", c.relname AS name, pg_total_relation_size(c.oid) AS bytes
     FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent
     WHERE p.relname = ANY($1) AND pg_table_is_visible(p.oid)
     ORDER BY c.relname`,
    [tables],
  );
  return rows.flatMap(({ table, name, bytes }) => {
    const day = /_(\d{4})(\d\d)(\d\d)$/.exec(name);
    return day === null ? [] : [{ table, name, day: day.slice(1).join("-"), bytes: Number(bytes) }];
  });
}

function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}

function nameOf(table: Table, day: string): string {
  return `${table}_${day.replaceAll("-", "")}`;
}

/**
 * Creates an empty day in a database that no node uses yet, inside an open transaction.
 * @param name of the partition, like `request_logs_20261121`
 */
export async function createDay(client: pg.ClientBase, name: string): Promise<void> {
  const [, table, ...date] = /^(request_logs|request_bodies)_(\d{4})(\d\d)(\d\d)$/.exec(name) ?? [];
  const start = Date.parse(`${date.join("-")}T00:00:00Z`);
  if (table === undefined || Number.isNaN(start)) throw new Error(`${name} is not the name of a day.`);
  const [from, to] = [start, start + dayMs].map((time) => new Date(time).toISOString());
  await client.query(`CREATE TABLE ${name} PARTITION OF ${table} FOR VALUES FROM ('${from}') TO ('${to}')`);
}

/** Creates a table and attaches it afterwards, which does not block writers of other days. */
async function addPartition(client: pg.PoolClient, table: Table, day: string): Promise<void> {
  const name = nameOf(table, day);
  const next = dayOf(new Date(Date.parse(`${day}T00:00:00Z`) + dayMs));
  const range = `created_at >= '${day}T00:00:00Z' AND created_at < '${next}T00:00:00Z'`;
  await inTransaction(client, async () => {
    await client.query(`CREATE TABLE ${name} (LIKE ${table} INCLUDING DEFAULTS INCLUDING STORAGE)`);
    const { rowCount } = await client.query(`SELECT FROM ${table}_default WHERE ${range} LIMIT 1`);
    if (rowCount !== 0) {
      // Rows that arrived in the default partition before this day had its own.
      await client.query(`LOCK TABLE ${table}_default IN ACCESS EXCLUSIVE MODE`);
      await client.query(`WITH moved AS (DELETE FROM ${table}_default WHERE ${range} RETURNING *)
        INSERT INTO ${name} SELECT * FROM moved`);
    }
    // With this check, Postgres skips the scan when the partition is attached.
    await client.query(`ALTER TABLE ${name} ADD CONSTRAINT ${name}_day CHECK (${range})`);
    await client.query(
      `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM ('${day}T00:00:00Z') TO ('${next}T00:00:00Z')`,
    );
    await client.query(`ALTER TABLE ${name} DROP CONSTRAINT ${name}_day`);
  });
}

async function dropPartition(client: pg.PoolClient, { name }: Partition): Promise<void> {
  await inTransaction(client, async () => {
    // Rather retry tomorrow than block writers behind a long-running reader.
    await client.query("SET LOCAL lock_timeout = '5s'");
    await client.query(`DROP TABLE ${name}`);
  });
}

async function inTransaction(client: pg.PoolClient, work: () => Promise<void>): Promise<void> {
  await client.query("BEGIN");
  try {
    await work();
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  }
}

/** Runs the work on one node at a time; the other nodes then find it done. */
async function alone<T>(pool: Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query("SELECT pg_advisory_lock($1)", [advisoryLocks.keepLogDays]);
    try {
      return await work(client);
    } finally {
      await client.query("SELECT pg_advisory_unlock($1)", [advisoryLocks.keepLogDays]);
    }
  } finally {
    client.release();
  }
}
