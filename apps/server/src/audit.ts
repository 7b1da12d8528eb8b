import { resolve } from "node:path";
import { audit, describeAudit } from "#domain/ledger/audit.ts";
import { connect } from "#platform/database/db.ts";
import { startEmbeddedPostgres } from "#platform/database/embedded-postgres.ts";
import { readEnv } from "./env.ts";

/** `pnpm audit:money`: recomputes every balance and prints the drift. Ends with 1 unless it is 0. */
const env = readEnv(process.env);
const postgres =
  env.DATABASE_URL === undefined
    ? await startEmbeddedPostgres({
        dataDir: resolve(env.DATA_DIR),
        log: (sentence) => console.error(sentence),
      })
    : undefined;
const database = connect(env.DATABASE_URL ?? postgres?.url ?? "", { max: 2 });
try {
  const { rows } = await database.pool.query("SELECT to_regclass('ledger_entries') IS NOT NULL AS there");
  if (rows[0]?.there !== true) throw new Error("There is no gateway in this database yet.");
  const outcome = await audit(database.pool);
  console.log(describeAudit(outcome));
  process.exitCode = outcome.drift === 0n ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await database.close();
  await postgres?.stop();
}
