import { createHash, randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { root } from "#platform/places.ts";
import { advisoryLocks } from "./advisory-locks.ts";

/** The migrations of this repository. */
export const migrationsFolder = join(root, "prisma/migrations");

export interface MigrateResult {
  /** Names of the migrations this call applied, in order; empty when the database was up to date. */
  applied: string[];
}

/** A file of `prisma/migrations`. */
export interface Migration {
  name: string;
  sql: string;
  /** Checksum as Prisma computes it: sha256 of the file, in hex. */
  checksum: string;
}

interface AppliedMigration {
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
  rolled_back_at: Date | null;
}

// The lock number of `prisma migrate`, so that the two never run at the same time.
const migrateLock = 72_707_369;

const migrationsTable = `
  CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id                  VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum            VARCHAR(64) NOT NULL,
    finished_at         TIMESTAMPTZ,
    migration_name      VARCHAR(255) NOT NULL,
    logs                TEXT,
    rolled_back_at      TIMESTAMPTZ,
    started_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count INTEGER NOT NULL DEFAULT 0
  )`;

/**
 * Applies the migrations in `folder` (`<name>/migration.sql`, in name order), each in its own transaction.
 * Writes Prisma's migration table, so that `prisma migrate deploy` agrees. Nodes that start together run one
 * after the other. Rejects with a message when the database is not UTF-8, an applied migration was edited or
 * one has failed; the database is then unchanged.
 */
export async function migrate(database: string | pg.Pool, folder: string): Promise<MigrateResult> {
  const migrations = await readMigrations(folder);
  if (typeof database !== "string") {
    const client = await database.connect();
    try {
      return await underLock(client, migrations);
    } finally {
      client.release();
    }
  }
  const client = new pg.Client({
    connectionString: database,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
  });
  // A connection that breaks fails the next statement.
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await underLock(client, migrations);
  } finally {
    await client.end();
  }
}

/**
 * Prepares migrations inside an open transaction, which a node that starts meanwhile waits for. Creates the table of
 * migrations when it is missing.
 */
export async function prepareMigrations(client: pg.ClientBase): Promise<void> {
  await client.query("SELECT pg_advisory_xact_lock($1)", [migrateLock]);
  await requireUtf8(client);
  await client.query(migrationsTable);
}

/** Applies one migration inside an open transaction, and records it. */
export async function applyMigration(client: pg.ClientBase, migration: Migration): Promise<void> {
  await client.query(migration.sql);
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`,
    [randomUUID(), migration.checksum, migration.name],
  );
}

/**
 * Creates the tables inside an open transaction, which a dry run then rolls back. The database must not have any.
 * @param run runs a text of several statements in the transaction
 */
export async function createTables(run: (sql: string) => Promise<unknown>, folder: string): Promise<void> {
  for (const { sql } of await readMigrations(folder)) await run(sql);
}

/** Returns all migrations of a folder, in the order of their names. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(join(folder, name, "migration.sql"), "utf8");
      return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

async function underLock(client: pg.ClientBase, migrations: Migration[]): Promise<MigrateResult> {
  await client.query("SELECT pg_advisory_lock($1)", [migrateLock]);
  try {
    await requireUtf8(client);
    await client.query(migrationsTable);
    const books = await client.query<AppliedMigration>(
      "SELECT migration_name, checksum, finished_at, rolled_back_at FROM _prisma_migrations",
    );
    const missing = whatIsMissing(migrations, books.rows);
    if (missing.length > 0) await endBackups(client);
    for (const migration of missing) await apply(client, migration);
    return { applied: missing.map((migration) => migration.name) };
  } finally {
    // A lost connection has already released the lock.
    await client.query("SELECT pg_advisory_unlock($1)", [migrateLock]).catch(() => undefined);
  }
}

/**
 * Ends a running backup: its transaction has locks on all tables, for which a migration would wait, and behind the
 * migration all calls. The backup fails with `backup_interrupted`.
 */
async function endBackups(client: pg.ClientBase): Promise<void> {
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_locks
     WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND classid = 0 AND objid = $1::oid AND granted`,
    [advisoryLocks.writeBackup],
  );
}

/** Names are compared in a Unicode normal form, which Postgres computes only in a UTF-8 database. */
async function requireUtf8(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ server_encoding: string }>("SHOW server_encoding");
  const encoding = rows[0]?.server_encoding;
  if (encoding === "UTF8") return;
  throw new Error(
    `The database has the encoding ${encoding}, and the gateway needs UTF8. ` +
      `Create it with: CREATE DATABASE gateway TEMPLATE template0 ENCODING 'UTF8'.`,
  );
}

function whatIsMissing(migrations: Migration[], books: AppliedMigration[]): Migration[] {
  const kept = books.filter((row) => row.rolled_back_at === null);
  const failed = kept.find((row) => row.finished_at === null);
  if (failed !== undefined) {
    throw new Error(
      `The migration ${failed.migration_name} failed halfway in an earlier run. ` +
        `Mend the database, then mark it: npx prisma migrate resolve --applied or --rolled-back ${failed.migration_name}.`,
    );
  }
  const checksums = new Map(kept.map((row) => [row.migration_name, row.checksum]));
  return migrations.filter((migration) => {
    const applied = checksums.get(migration.name);
    if (applied !== undefined && applied !== migration.checksum) {
      throw new Error(
        `The migration ${migration.name} was changed after it had been applied. ` +
          `Restore its file and put the change into a new migration.`,
      );
    }
    return applied === undefined;
  });
}

async function apply(client: pg.ClientBase, migration: Migration): Promise<void> {
  await client.query("BEGIN");
  try {
    await applyMigration(client, migration);
    await client.query("COMMIT");
  } catch (cause) {
    await client.query("ROLLBACK");
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The migration ${migration.name} failed and was rolled back: ${reason}`, { cause });
  }
}
