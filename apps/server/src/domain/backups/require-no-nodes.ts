import { GatewayError } from "#errors.ts";
import type { Reader } from "#platform/database/db.ts";

/** A gateway writes its heartbeat every few seconds. */
const aliveSeconds = 30;

/** Throws while a gateway uses the database: its calls would be lost. A database without tables is used by none. */
export async function requireNoNodes(reader: Reader): Promise<void> {
  const { rows: tables } = await reader.query<{ there: boolean }>(
    "SELECT to_regclass('nodes') IS NOT NULL AS there",
  );
  if (tables[0]?.there !== true) return;
  const { rows } = await reader.query<{ count: bigint }>(
    `SELECT count(*) AS count FROM nodes WHERE heartbeat > now() - interval '${aliveSeconds} seconds'`,
  );
  const count = Number(rows[0]?.count ?? 0n);
  if (count > 0) throw new GatewayError("conflict", { reason: "backup_nodes_running", nodes: count });
}
