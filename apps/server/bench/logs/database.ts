import { resolve } from "node:path";
import { completeIndexes } from "#domain/logs/partition-indexes.ts";
import { connect, type Database } from "#platform/database/db.ts";
import { startEmbeddedPostgres } from "#platform/database/embedded-postgres.ts";
import { migrate, migrationsFolder } from "#platform/database/migrate.ts";

export interface BenchDatabase {
  database: Database;
  close(): Promise<void>;
}

/**
 * Opens the database of DATABASE_URL, or an embedded one in DATA_DIR (./data-logs), migrated and with all
 * indexes.
 */
export async function openBenchDatabase(): Promise<BenchDatabase> {
  const { DATABASE_URL: given, DATA_DIR: dataDir = "./data-logs" } = process.env;
  const embedded =
    given === undefined
      ? await startEmbeddedPostgres({
          dataDir: resolve(dataDir),
          log: (sentence) => console.error(sentence),
          durable: false,
        })
      : undefined;
  const url = given ?? embedded?.url ?? "";
  await migrate(url, migrationsFolder);
  const database = connect(url, { max: 4, applicationName: "gateway-bench" });
  await completeIndexes(database.pool);
  return {
    database,
    async close() {
      await database.close();
      await embedded?.stop();
    },
  };
}
