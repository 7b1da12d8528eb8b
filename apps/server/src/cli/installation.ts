import { access, mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Env } from "#env.ts";
import { describeDatabase, waitForDatabase } from "#platform/database/database-address.ts";
import { connect, type Database } from "#platform/database/db.ts";
import { startEmbeddedPostgres } from "#platform/database/embedded-postgres.ts";
import { migrate, migrationsFolder } from "#platform/database/migrate.ts";
import { readOrCreateSecret } from "#platform/secret-file.ts";
import { openSecrets, type Secrets } from "#platform/secrets.ts";
import { CommandFailure } from "./failure.ts";

/** The installation that a command works on: the one of the server's environment. */
export interface Installation {
  env: Env;
  database: Database;
  /** Where the database is, without a password. */
  where: string;
  isEmbedded: boolean;
  /** Throws with the next step when the key that the server uses cannot be known. */
  secrets(): Promise<Secrets>;
  /** Whether the tables are there. */
  hasTables(): Promise<boolean>;
  /** Brings the tables to this version. Returns the names of the migrations that were missing. */
  migrate(): Promise<string[]>;
}

export interface OpenOptions {
  /** The command creates the tables itself, when its checks have succeeded; otherwise they must be there. */
  migrates?: boolean;
  log(sentence: string): void;
}

const patienceMs = 10_000;
const longestStatementMs = 24 * 3_600_000;
/** A gateway writes its heartbeat every few seconds. */
const aliveSeconds = 30;

export async function withInstallation<T>(
  env: Env,
  { migrates = false, log }: OpenOptions,
  work: (installation: Installation) => Promise<T>,
): Promise<T> {
  const dataDir = resolve(env.DATA_DIR);
  const embedded = env.DATABASE_URL === undefined ? await openEmbedded(dataDir, log) : undefined;
  const url = env.DATABASE_URL ?? embedded?.url ?? "";
  const database = connect(url, {
    max: 4,
    applicationName: "gateway cli",
    statementMs: longestStatementMs,
  });
  try {
    if (embedded === undefined) await waitForDatabase(url, { patienceMs, onWait: log });
    const isInstalled = await hasTables(database);
    if (!isInstalled && !migrates)
      throw new CommandFailure(
        "The database has no tables of this gateway. Start the server once, or check DATABASE_URL and DATA_DIR.",
      );
    const running = isInstalled ? await countRunning(database) : 0;
    if (embedded !== undefined && running > 0)
      log("The embedded database is in use by a running gateway; this command uses it beside the gateway.");
    return await work({
      env,
      database,
      where: describeDatabase(url),
      isEmbedded: embedded !== undefined,
      secrets: async () => openSecrets(await secretKey(env, dataDir)),
      hasTables: () => hasTables(database),
      migrate: async () => (await migrate(url, migrationsFolder)).applied,
    });
  } finally {
    await database.close();
    await embedded?.stop();
  }
}

async function openEmbedded(dataDir: string, log: (sentence: string) => void) {
  await mkdir(dataDir, { recursive: true });
  return startEmbeddedPostgres({ dataDir, log });
}

async function hasTables({ pool }: Database): Promise<boolean> {
  const { rows } = await pool.query<{ there: boolean }>("SELECT to_regclass('imports') IS NOT NULL AS there");
  return rows[0]?.there === true;
}

async function countRunning({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ count: bigint }>(
    `SELECT count(*) AS count FROM nodes WHERE heartbeat > now() - interval '${aliveSeconds} seconds'`,
  );
  return Number(rows[0]?.count ?? 0n);
}

/** A key of our own making would encrypt what the server then cannot read. */
async function secretKey(env: Env, dataDir: string): Promise<string> {
  if (env.SECRET_KEY !== undefined) return env.SECRET_KEY;
  const file = join(dataDir, "secret-key");
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (!isThere && env.DATABASE_URL !== undefined)
    throw new CommandFailure(
      `SECRET_KEY is not set, and ${file} does not exist. Set SECRET_KEY to the key that the server uses, or DATA_DIR to its folder.`,
    );
  return readOrCreateSecret(dataDir);
}
