import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { seedAccounts } from "#domain/accounts/seed.ts";
import { ensureRoot, issueSetupToken } from "#domain/accounts/setup.ts";
import { seedModelInfo } from "#domain/catalog/model-info.ts";
import { sealStoredSecrets } from "#domain/channels/seal-stored.ts";
import { ensurePartitions } from "#domain/logs/partitions.ts";
import { seedPrices } from "#domain/pricing/seed-prices.ts";
import { type Announcements, listen } from "#platform/announcements.ts";
import { waitForDatabase } from "#platform/database-address.ts";
import { connect, type Database } from "#platform/db.ts";
import { startEmbeddedPostgres } from "#platform/embedded-postgres.ts";
import { keptSecret } from "#platform/kept-secret.ts";
import { migrate, migrationsFolder } from "#platform/migrate.ts";
import { refuseTransactionPooling } from "#platform/pooling.ts";
import { openSecrets, type Secrets } from "#platform/secrets.ts";
import type { Context } from "./context.ts";
import type { Part } from "./parts.ts";

/** How long a database that does not answer yet is waited for at the start. */
const DATABASE_PATIENCE_MS = 60_000;

interface Postgres {
  dataDir: string;
  databaseUrl: string;
  /** Only of an embedded one. */
  stop?(): Promise<void>;
}

/** A Postgres that answers and whose tables are those of this version: the one of DATABASE_URL, or an embedded one. */
export const postgres: Part<Context, Postgres> = {
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

/** Nothing is connected before the first statement. */
export const database: Part<Pick<Postgres, "databaseUrl">, Database> = {
  name: "database",
  open: ({ databaseUrl }) => connect(databaseUrl),
  close: (opened) => opened.close(),
};

/** Opened before anything is loaded: a change between the two would be lost. */
export const changes: Part<Context & Pick<Postgres, "databaseUrl">, Announcements> = {
  name: "announcements",
  open: ({ databaseUrl, onError }) => listen(databaseUrl, onError),
  close: (opened) => opened.close(),
};

/** What an installation needs once: tables, the secret key, first accounts, prices and models. */
export const installation: Part<
  Context & Postgres & { database: Database },
  { secrets: Secrets; setupToken: string | undefined }
> = {
  name: "installation",
  async open({ env, database: { db, pool }, dataDir }) {
    const secrets = openSecrets(env.SECRET_KEY ?? (await keptSecret(dataDir)));
    await ensurePartitions(pool, 7);
    await seedAccounts(db);
    await seedPrices(db);
    await seedModelInfo(db);
    await sealStoredSecrets(db, secrets);
    if (env.ROOT_USERNAME !== undefined && env.ROOT_PASSWORD !== undefined)
      await ensureRoot(db, secrets, {
        username: env.ROOT_USERNAME,
        password: env.ROOT_PASSWORD,
        accessToken: env.ROOT_ACCESS_TOKEN,
      });
    return { secrets, setupToken: await issueSetupToken(db, secrets) };
  },
};

/** Brings the tables to this version. */
export const migrations: Part<Context & Pick<Postgres, "databaseUrl">, void> = {
  name: "migrations",
  async open({ databaseUrl, log }) {
    const { applied } = await migrate(databaseUrl, migrationsFolder);
    if (applied.length > 0) log.info({ applied }, "migrations applied");
  },
};
