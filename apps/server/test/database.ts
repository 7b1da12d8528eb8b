import { randomUUID } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { connect, type ConnectOptions, type Database } from "#platform/database/db.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Postgres of this run, with the databases `template` (migrated) and `installed` (started once). */
    postgresUrl: string;
    redisUrl: string;
  }
}

export interface TestDatabase {
  url: string;
  /** Ends all connections to the database and drops it. */
  drop(): Promise<void>;
}

/** Creates a migrated, empty database for one test file. */
export async function freshDatabase(): Promise<TestDatabase> {
  return copyOf("template");
}

/** Connects to a migrated, empty database for one test file. `close` drops the database. */
export async function openTestDatabase(options?: ConnectOptions): Promise<Database> {
  const { url, drop } = await freshDatabase();
  const database = connect(url, options);
  return {
    ...database,
    async close() {
      await database.close();
      await drop();
    },
  };
}

/**
 * Creates a database in its state after a first start, without accounts. A gateway starts on it in half the
 * time.
 */
export async function installedDatabase(): Promise<TestDatabase> {
  return copyOf("installed");
}

/** Creates a database without tables. */
export async function emptyDatabase(): Promise<TestDatabase> {
  return copyOf("template0");
}

/** Creates a database without tables whose encoding is not UTF-8. */
export async function asciiDatabase(): Promise<TestDatabase> {
  return copyOf("template0", "ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C'");
}

/** Returns the Redis of this test run. It is shared, so use unique keys. */
export function redisUrl(): string {
  return inject("redisUrl");
}

async function copyOf(template: string, options = ""): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  // Without fsync, copying the files takes a fifth of the time of writing them through the WAL.
  await asAdmin(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY ${options}`);
  const url = new URL(inject("postgresUrl"));
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => asAdmin(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

async function asAdmin(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject("postgresUrl") });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
