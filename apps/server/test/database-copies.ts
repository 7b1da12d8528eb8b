import { randomUUID } from "node:crypto";
import pg from "pg";

export interface TestDatabase {
  url: string;
  /** Ends all connections to the database and drops it. */
  drop(): Promise<void>;
}

/** @param postgresUrl an administrator's connection to the Postgres of this run */
export async function copyDatabase(
  postgresUrl: string,
  template: string,
  options = "",
): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  // Without fsync, copying the files takes a fifth of the time of writing them through the WAL.
  await run(postgresUrl, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY ${options}`);
  const url = new URL(postgresUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => run(postgresUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

/** A connection for each database would cost a third of its copy, so a process keeps one. */
const administrators = new Map<string, pg.Pool>();

async function run(postgresUrl: string, sql: string): Promise<void> {
  let administrator = administrators.get(postgresUrl);
  if (administrator === undefined) {
    administrator = new pg.Pool({ connectionString: postgresUrl, max: 1, allowExitOnIdle: true });
    // A connection that ends while it is idle is replaced.
    administrator.on("error", () => undefined);
    administrators.set(postgresUrl, administrator);
  }
  await administrator.query(sql);
}
