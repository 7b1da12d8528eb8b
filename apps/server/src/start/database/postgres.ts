import { resolve } from "node:path";
import { waitForDatabase } from "#platform/database/database-address.ts";
import { startEmbeddedPostgres } from "#platform/database/embedded-postgres.ts";
import { migrate, migrationsFolder } from "#platform/database/migrate.ts";
import { refuseTransactionPooling } from "#platform/database/pooling.ts";
import { writeProblem } from "#platform/disk-space.ts";
import type { Context } from "../context.ts";
import type { Component } from "../parts.ts";

type Needs = Pick<Context, "env" | "log">;

/** Maximum wait at the start for a database that does not respond yet. */
const DATABASE_PATIENCE_MS = 60_000;

export interface Postgres {
  dataDir: string;
  databaseUrl: string;
  /** Set only for an embedded server. */
  stop?(): Promise<void>;
}

/** A Postgres that responds: the one of DATABASE_URL, or an embedded one. */
export const postgres: Component<Needs, Postgres> = {
  name: "postgres",
  patient: true,
  async open({ env, log }) {
    const dataDir = resolve(env.DATA_DIR);
    const problem = await writeProblem(dataDir);
    if (problem !== undefined) {
      const sentence =
        `DATA_DIR (${dataDir}) cannot be written: ${problem}. ` +
        "Give the account that runs the gateway write access to it, or set DATA_DIR to another folder.";
      if (env.DATABASE_URL === undefined) throw new Error(`${sentence} The embedded database needs it.`);
      log.error(`${sentence} Uploads above 1 MB are refused.`);
    }
    if (env.DATABASE_URL === undefined) {
      const embedded = await startEmbeddedPostgres({ dataDir, log: (sentence) => log.info(sentence) });
      return { dataDir, databaseUrl: embedded.url, stop: () => embedded.stop() };
    }
    const patience = { patienceMs: DATABASE_PATIENCE_MS, onWait: (reason: string) => log.warn(reason) };
    await waitForDatabase(env.DATABASE_URL, patience);
    if (env.poolerUrl !== undefined) await waitForDatabase(env.poolerUrl, patience);
    await refuseTransactionPooling(env.DATABASE_URL);
    return { dataDir, databaseUrl: env.DATABASE_URL };
  },
  close: ({ stop }) => stop?.(),
};

/** Migrates the database to this version. */
export const migrations: Component<Needs & Pick<Postgres, "databaseUrl">, void> = {
  name: "migrations",
  async open({ databaseUrl, log }) {
    const { applied } = await migrate(databaseUrl, migrationsFolder);
    const newest = applied.at(-1);
    if (newest !== undefined) log.info({ count: applied.length, newest }, "migrations applied");
  },
};
