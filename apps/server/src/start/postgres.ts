import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { waitForDatabase } from "#platform/database/database-address.ts";
import { startEmbeddedPostgres } from "#platform/database/embedded-postgres.ts";
import { migrate, migrationsFolder } from "#platform/database/migrate.ts";
import { refuseTransactionPooling } from "#platform/database/pooling.ts";
import type { Context } from "./context.ts";
import type { Part } from "./parts.ts";

type Needs = Pick<Context, "env" | "log">;

/** How long a database that does not answer yet is waited for at the start. */
const DATABASE_PATIENCE_MS = 60_000;

export interface Postgres {
  dataDir: string;
  databaseUrl: string;
  /** Only of an embedded one. */
  stop?(): Promise<void>;
}

/** A Postgres that answers: the one of DATABASE_URL, or an embedded one. */
export const postgres: Part<Needs, Postgres> = {
  name: "postgres",
  patient: true,
  async open({ env, log }) {
    const dataDir = resolve(env.DATA_DIR);
    await mkdir(dataDir, { recursive: true });
    if (env.DATABASE_URL === undefined) {
      const embedded = await startEmbeddedPostgres({ dataDir, log: (sentence) => log.info(sentence) });
      return { dataDir, databaseUrl: embedded.url, stop: () => embedded.stop() };
    }
    await waitForDatabase(env.DATABASE_URL, {
      patienceMs: DATABASE_PATIENCE_MS,
      onWait: (reason) => log.warn(reason),
    });
    await refuseTransactionPooling(env.DATABASE_URL);
    return { dataDir, databaseUrl: env.DATABASE_URL };
  },
  close: ({ stop }) => stop?.(),
};

/** Brings the tables to this version. */
export const migrations: Part<Needs & Pick<Postgres, "databaseUrl">, void> = {
  name: "migrations",
  async open({ databaseUrl, log }) {
    const { applied } = await migrate(databaseUrl, migrationsFolder);
    if (applied.length > 0) log.info({ applied }, "migrations applied");
  },
};
