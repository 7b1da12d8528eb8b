import { createHash } from "node:crypto";
import type pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { currentTime } from "#platform/clock.ts";
import type { DumpHeader, DumpTable, DumpTrailer } from "./dump-format.ts";
import { endOfRows } from "./dump-format.ts";

export interface DumpOptions {
  /** Version of this gateway. */
  version: string;
  /** Called with the rows of each table when it is complete. */
  onTable?(table: string, rows: number): void;
}

/**
 * Writes all tables of the current schema as they are at one moment: one transaction with REPEATABLE READ, which
 * only reads. Its locks conflict with changes of the schema alone. The connection is used for nothing else, and must
 * be closed by the caller, also after an error.
 */
export async function* writeDump(client: pg.Client, options: DumpOptions): AsyncGenerator<Buffer> {
  await client.query("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
  const tables = await listTables(client);
  const header: DumpHeader = {
    format: "gateway-backup",
    formatVersion: 1,
    version: options.version,
    createdAt: currentTime().toISOString(),
    migrations: await listMigrations(client),
    partitions: tables
      .map(({ table }) => table)
      .filter((table) => /^request_(logs|bodies)_\d{8}$/.test(table)),
  };
  yield lineOf(header);
  const trailer: DumpTrailer = { tables: [], sequences: [] };
  for (const table of tables) {
    yield lineOf(table);
    const rows = client.query(
      copyTo(`COPY ${quoteName(table.table)} (${table.columns.map(quoteName).join(", ")}) TO STDOUT`),
    );
    const hash = createHash("sha256");
    for await (const chunk of rows as AsyncIterable<Buffer>) {
      hash.update(chunk);
      yield chunk;
    }
    yield endOfRows;
    trailer.tables.push({ table: table.table, rows: rows.rowCount, sha256: hash.digest("hex") });
    options.onTable?.(table.table, rows.rowCount);
  }
  // After the tables: sequences do not belong to the snapshot, and must not be behind the rows.
  trailer.sequences = await listSequences(client);
  yield lineOf(trailer);
  await client.query("COMMIT");
}

/** Quotes a name of a table or column for SQL. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function lineOf(value: DumpHeader | DumpTable | DumpTrailer): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

/**
 * Each partition is a table of its own here: a statement on the partitioned table would lock all partitions with all
 * their indexes. Computed columns are not copied.
 */
async function listTables(client: pg.Client): Promise<DumpTable[]> {
  const { rows } = await client.query<DumpTable>(
    `SELECT c.relname AS "table", array_agg(a.attname::text ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
       AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
     GROUP BY c.oid, c.relname ORDER BY c.relname`,
  );
  return rows;
}

async function listMigrations(client: pg.Client): Promise<DumpHeader["migrations"]> {
  const { rows } = await client.query<DumpHeader["migrations"][number]>(
    `SELECT migration_name AS name, checksum FROM _prisma_migrations
     WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY migration_name COLLATE "C"`,
  );
  return rows;
}

async function listSequences(client: pg.Client): Promise<DumpTrailer["sequences"]> {
  const { rows } = await client.query<{ name: string; last: string }>(
    `SELECT sequencename AS name, last_value::text AS last FROM pg_sequences
     WHERE schemaname = current_schema() AND last_value IS NOT NULL ORDER BY 1`,
  );
  return rows;
}
