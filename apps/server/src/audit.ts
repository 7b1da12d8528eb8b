import { resolve } from "node:path";
import { audit, describeAudit } from "#domain/billing/audit.ts";
import { connect } from "#platform/db.ts";
import { startEmbeddedPostgres } from "#platform/embedded-postgres.ts";
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
  const outcome = await audit(database.pool);
  console.log(describeAudit(outcome));
  process.exitCode = outcome.drift === 0n ? 0 : 1;
} finally {
  await database.close();
  await postgres?.stop();
}
