import { randomUUID } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** The Postgres of this run, with the databases `template` (migrated) and `installed` (started once). */
    postgresUrl: string;
    redisUrl: string;
  }
}

export interface TestDatabase {
  url: string;
  /** Ends every connection to it and removes it. */
  drop(): Promise<void>;
}

/** A migrated, empty database that no other test file sees. */
export async function freshDatabase(): Promise<TestDatabase> {
  return copyOf("template");
}

/** As a first start leaves it, but without accounts: a gateway starts on it in half the time. */
export async function installedDatabase(): Promise<TestDatabase> {
  return copyOf("installed");
}

/** A database without any table. */
export async function emptyDatabase(): Promise<TestDatabase> {
  return copyOf("template0");
}

/** A database without any table whose encoding is not UTF-8. */
export async function asciiDatabase(): Promise<TestDatabase> {
  return copyOf("template0", "ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C'");
}

/** The Redis of this test run; shared, so name keys by something of your own. */
export function redisUrl(): string {
  return inject("redisUrl");
}

async function copyOf(template: string, options = ""): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  // Without fsync copying the files takes a fifth of the time that writing them through the log does.
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
