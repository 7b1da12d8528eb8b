import { execFile } from "node:child_process";
import { promisify } from "node:util";
import pg from "pg";
import { seedAccounts } from "#domain/accounts/seed.ts";
import { ensureRoot } from "#domain/accounts/setup.ts";
import { seedModelInfo } from "#domain/catalog/model-info.ts";
import { ensurePartitions } from "#domain/logs/partitions.ts";
import { seedPrices } from "#domain/pricing/seed-prices.ts";
import { connect } from "#platform/database/db.ts";
import { migrate, migrationsFolder } from "#platform/database/migrate.ts";
import { root } from "#platform/places.ts";
import { openSecrets } from "#platform/secrets.ts";
import { rootPassword, testAccessToken, testSecretKey } from "#test/root-account.ts";
import { startThrowAwayPostgres, startThrowAwayRedis } from "./services.ts";

/** What the files of one test run share. */
export interface SharedServices {
  /** Postgres with the databases `template` (migrated), `installed` (seeded) and `started` (with a root account). */
  postgresUrl: string;
  redisUrl: string;
  stop(): Promise<void>;
}

/** Builds the server, starts the shared services, and creates the databases that test files copy. */
export async function startSharedServices(): Promise<SharedServices> {
  await promisify(execFile)(process.execPath, ["scripts/build-server.mjs"], { cwd: root });
  const redis = await startThrowAwayRedis();
  try {
    const postgres = await startThrowAwayPostgres();
    try {
      await makeTemplates(postgres.url);
    } catch (error) {
      await postgres.stop();
      throw error;
    }
    return {
      postgresUrl: postgres.url,
      redisUrl: redis.url,
      async stop() {
        await Promise.all([postgres.stop(), redis.stop()]);
      },
    };
  } catch (error) {
    await redis.stop();
    throw error;
  }
}

/**
 * Creates `template`, which is migrated and empty; `installed`, which also contains the data of a first start; and
 * `started`, which also has a root account. A first start takes a second.
 */
async function makeTemplates(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await economize(client, url);
  await client.query("CREATE DATABASE template");
  await migrate(databaseOf(url, "template"), migrationsFolder);
  await client.query("CREATE DATABASE installed TEMPLATE template");
  await furnish(databaseOf(url, "installed"));
  await client.query("CREATE DATABASE started TEMPLATE installed");
  await addRoot(databaseOf(url, "started"));
  await client.end();
}

/** Saves work that only a database of long life needs. A test run has a thousand copies, and each copy a dozen connections. */
async function economize(client: pg.Client, url: string): Promise<void> {
  await client.query("ALTER SYSTEM SET autovacuum = off");
  await client.query("SELECT pg_reload_conf()");
  await client.query("SET scram_iterations = 1");
  const { username, password } = new URL(url);
  await client.query(`ALTER ROLE ${pg.escapeIdentifier(username)} PASSWORD ${pg.escapeLiteral(password)}`);
}

function databaseOf(url: string, name: string): string {
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
}

async function furnish(url: string): Promise<void> {
  const { db, pool, close } = connect(url, { max: 2 });
  await ensurePartitions(pool, 7);
  await seedAccounts(db);
  await seedPrices(db);
  await seedModelInfo(db);
  await close();
}

/** The calls of a test come within seconds. A test of the limit sets its own. */
async function addRoot(url: string): Promise<void> {
  const { db, pool, close } = connect(url, { max: 1 });
  await pool.query("UPDATE user_groups SET api_rate = 1000000");
  const account = { username: "root", password: rootPassword, accessToken: testAccessToken };
  await ensureRoot(db, openSecrets(testSecretKey), account);
  await close();
}
