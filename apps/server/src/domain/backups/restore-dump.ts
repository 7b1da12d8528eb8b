import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { type Audit, audit } from "#domain/ledger/balances/audit.ts";
import { createDay } from "#domain/logs/partitions.ts";
import { computeSecretCheck, secretCheckKey } from "#domain/settings/secret-check.ts";
import { GatewayError } from "#errors.ts";
import {
  applyMigration,
  type Migration,
  prepareMigrations,
  readMigrations,
} from "#platform/database/migrate.ts";
import type { Secrets } from "#platform/secrets.ts";
import { openBackupConnection } from "./backup-connection.ts";
import type { DumpHeader, DumpTable, DumpTrailer } from "./dump-format.ts";
import { countingConsumer, readDump } from "./read-dump.ts";
import { clearSchema, dropForeignKeys, requireEmpty, requireLocks } from "./target-schema.ts";
import { quoteName } from "./write-dump.ts";

const LONGEST_DETAIL = 300;

export interface RestoreOptions {
  /** The database that receives the backup. No gateway may use it. */
  url: string;
  /** Folder of the migrations of this version. */
  migrations: string;
  /** Name of the backup, for messages. */
  file: string;
  /** The secret key that will be used with the database; undefined = not compared. */
  secrets?: Secrets | undefined;
  /** Deletes what is in the database. */
  replaces?: boolean;
  /** Restores a backup whose balances differ from their books, too. */
  acceptsDrift?: boolean;
  onTable?(table: string, rows: number): void;
}

export interface RestoreReport {
  /** Version of the gateway that wrote the backup, and when. */
  version: string;
  createdAt: string;
  tables: number;
  rows: number;
  /** Names of migrations that were applied after the data. */
  migrated: string[];
  /** Tables of the backup that do not belong to a gateway. They were not restored. */
  skipped: string[];
  audit: Audit;
}

/**
 * Restores a dump in one transaction: the schema as it was, the data, the sequences, later migrations, and the audit
 * of all balances. If anything fails, the database is as it was before. Rejects with the errors of `errors/backups.ts`.
 */
export async function restoreDump(
  dump: AsyncIterable<Buffer>,
  options: RestoreOptions,
): Promise<RestoreReport> {
  const connection = await openBackupConnection(options.url);
  const { client } = connection;
  try {
    await client.query("BEGIN");
    await prepareMigrations(client);
    const report = await restoreWithin(client, dump, options);
    await client.query("COMMIT");
    await client.query("ANALYZE");
    return report;
  } finally {
    // Also rolls an open transaction back.
    connection.close();
  }
}

async function restoreWithin(
  client: pg.Client,
  dump: AsyncIterable<Buffer>,
  options: RestoreOptions,
): Promise<RestoreReport> {
  const { file, onTable } = options;
  if (options.replaces === true) await clearSchema(client);
  else await requireEmpty(client);
  const all = await readMigrations(options.migrations);
  const skipped: string[] = [];
  let known = new Set<string>();
  let addForeignKeys = async () => {};
  const { header, trailer } = await readDump(dump, file, {
    async begin(started) {
      await requireLocks(client, started.partitions.length);
      await prepareMigrations(client);
      for (const { sql } of migrationsOf(started, all)) await client.query(sql);
      for (const day of started.partitions) await createDay(client, day);
      addForeignKeys = await dropForeignKeys(client);
      known = await emptyTables(client);
    },
    async table(table, rows) {
      if (!known.has(table.table)) {
        skipped.push(table.table);
        return countingConsumer.table(table, rows);
      }
      const count = await copyRows(client, table, rows);
      onTable?.(table.table, count);
      return count;
    },
  });
  await setSequences(client, trailer);
  await addForeignKeys();
  const migrated = await migrateFurther(client, header, all);
  await requireSecret(client, options.secrets);
  const outcome = await audit(client);
  if (outcome.drift !== 0n && options.acceptsDrift !== true)
    throw new GatewayError("conflict", { reason: "backup_drift", drift: String(outcome.drift) });
  return {
    version: header.version,
    createdAt: header.createdAt,
    tables: trailer.tables.length - skipped.length,
    rows: trailer.tables
      .filter(({ table }) => !skipped.includes(table))
      .reduce((sum, { rows }) => sum + rows, 0),
    migrated,
    skipped,
    audit: outcome,
  };
}

/** Returns the migrations of the backup's schema. Throws when this version has others. */
function migrationsOf({ migrations, version }: DumpHeader, all: readonly Migration[]): Migration[] {
  return migrations.map(({ name, checksum }) => {
    const migration = all.find((one) => one.name === name && one.checksum === checksum);
    if (migration === undefined)
      throw new GatewayError("conflict", { reason: "backup_newer", version, migration: name });
    return migration;
  });
}

/** Deletes what migrations have written. Returns the names of all tables. */
async function emptyTables(client: pg.Client): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' ORDER BY relname`,
  );
  const names = rows.map(({ name }) => name);
  await client.query(`TRUNCATE ${names.map(quoteName).join(", ")}`);
  return new Set(names);
}

async function copyRows(client: pg.Client, { table, columns }: DumpTable, rows: AsyncIterable<Buffer>) {
  const target = client.query(
    copyFrom(`COPY ${quoteName(table)} (${columns.map(quoteName).join(", ")}) FROM STDIN`),
  );
  try {
    await pipeline(Readable.from(rows, { objectMode: false }), target);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    throw new GatewayError(
      "conflict",
      // It contains the refused value.
      { reason: "backup_row_refused", table, detail: error.message.slice(0, LONGEST_DETAIL) },
      { cause: error },
    );
  }
  return target.rowCount;
}

async function setSequences(client: pg.Client, { sequences }: DumpTrailer): Promise<void> {
  await client.query(
    `SELECT setval(c.oid::regclass, s.last) FROM unnest($1::text[], $2::bigint[]) AS s(name, last)
     JOIN pg_class c ON c.relname = s.name AND c.relkind = 'S'
       AND c.relnamespace = current_schema()::regnamespace`,
    [sequences.map(({ name }) => name), sequences.map(({ last }) => last)],
  );
}

async function migrateFurther(
  client: pg.Client,
  header: DumpHeader,
  all: readonly Migration[],
): Promise<string[]> {
  const done = new Set(header.migrations.map(({ name }) => name));
  const missing = all.filter(({ name }) => !done.has(name));
  for (const migration of missing) await applyMigration(client, migration);
  return missing.map(({ name }) => name);
}

async function requireSecret(client: pg.Client, secrets: Secrets | undefined): Promise<void> {
  if (secrets === undefined) return;
  const { rows } = await client.query<{ value: unknown }>("SELECT value FROM options WHERE key = $1", [
    secretCheckKey,
  ]);
  const [row] = rows;
  if (row !== undefined && row.value !== computeSecretCheck(secrets))
    throw new GatewayError("conflict", { reason: "backup_other_secret" });
}
