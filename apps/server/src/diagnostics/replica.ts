/** Check of the standby that screens read. */
import type { Pool } from "#platform/database/db.ts";
import { openReplica } from "#platform/database/replica/replica.ts";
import { type CheckResult, detailOf, ok, problem, type Subject, warning } from "./finding.ts";

type Checked = Pick<Subject, "env" | "database">;

/** Checks it as a node does: whether it can be reached, is a standby of the database, and is recent enough. */
export async function replica({ env, database }: Checked): Promise<CheckResult[]> {
  if (env.replica === undefined) return ok("replica_unset");
  const { url, maxLagMs } = env.replica;
  const address = new URL(url).host;
  const standby = openReplica({ url, maxLagMs, primary: database });
  try {
    const { problem: found, lagMs, error } = await standby.check();
    switch (found) {
      case "replica_unreachable":
        return problem("replica_unreachable", { address, detail: detailOf(error ?? "no response") });
      case "replica_other_database":
        return problem("replica_other_database", { address });
      case "replica_not_standby":
        return problem("replica_not_standby", { address });
      case "replica_lagging":
        return lagMs === undefined
          ? warning("replica_lag_unknown", { address })
          : warning("replica_lagging", { address, seconds: secondsOf(lagMs), limit: maxLagMs / 1_000 });
      case undefined:
        return [
          ...ok("replica_used", { address, seconds: secondsOf(lagMs ?? 0) }),
          ...((await isEncrypted(database.pool)) && !(await isEncrypted(standby.pool))
            ? warning("replica_not_encrypted", { address })
            : []),
        ];
    }
  } finally {
    await standby.close();
  }
}

function secondsOf(milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10;
}

async function isEncrypted(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ ssl: boolean }>(
    "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()",
  );
  return rows[0]?.ssl === true;
}
