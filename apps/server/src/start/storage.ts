import { seedAccounts } from "#domain/accounts/seed.ts";
import { ensureRoot, issueSetupToken } from "#domain/accounts/setup.ts";
import { seedModelInfo } from "#domain/catalog/model-info.ts";
import { sealStoredSecrets } from "#domain/channels/seal-stored.ts";
import { ensurePartitions } from "#domain/logs/partitions.ts";
import { seedPrices } from "#domain/pricing/seed-prices.ts";
import { type Announcements, listen } from "#platform/announcements.ts";
import { connect, type Database } from "#platform/database/db.ts";
import { readOrCreateSecret } from "#platform/secret-file.ts";
import { openSecrets, type Secrets } from "#platform/secrets.ts";
import type { Context } from "./context.ts";
import type { Postgres } from "./database/postgres.ts";
import { requireSameSecret } from "./database/same-secret.ts";
import type { Component } from "./parts.ts";

/** Connects at the first statement. */
export const database: Component<Context & Pick<Postgres, "databaseUrl">, Database> = {
  name: "database",
  open: ({ databaseUrl, env }) => connect(databaseUrl, { poolerUrl: env.poolerUrl }),
  close: (opened) => opened.close(),
};

/** Opened before anything is loaded, so that no change in between is lost. */
export const changes: Component<
  Context & Pick<Postgres, "databaseUrl"> & { database: Database },
  Announcements
> = {
  name: "announcements",
  async open({ databaseUrl, database: opened, activity, onError }) {
    const announcements = await listen(databaseUrl, (error) => onError(error, "database"), { activity });
    announcements.onSilence(() => opened.dropSilent());
    return announcements;
  },
  close: (opened) => opened.close(),
};

/** Sets up an installation once: the secret key, first accounts, prices and models. */
export const installation: Component<
  Context & Postgres & { database: Database },
  { secrets: Secrets; setupToken: string | undefined }
> = {
  name: "installation",
  async open({ env, database: { db, pool }, dataDir, worker }) {
    const secrets = openSecrets(env.SECRET_KEY ?? (await readOrCreateSecret(dataDir)));
    await requireSameSecret(db, secrets);
    if (worker !== undefined && !worker.task.first) return { secrets, setupToken: undefined };
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
