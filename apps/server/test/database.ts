import { connect, type ConnectOptions, type Database } from "#platform/database/db.ts";
import { copyDatabase, type TestDatabase } from "./database-copies.ts";

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

/** Creates an installed database that also has the root account of root-account.ts, with which most gateways start. */
export async function startedDatabase(): Promise<TestDatabase> {
  return copyOf("started");
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
  return serviceUrl("TEST_REDIS_URL");
}

function copyOf(template: string, options?: string): Promise<TestDatabase> {
  return copyDatabase(serviceUrl("TEST_POSTGRES_URL"), template, options);
}

/** Test files run in processes that inherit the environment of the runner, which has started the services. */
function serviceUrl(name: "TEST_POSTGRES_URL" | "TEST_REDIS_URL"): string {
  const url = process.env[name];
  if (url === undefined) throw new Error(`${name} is not set: this code runs in tests only.`);
  return url;
}
