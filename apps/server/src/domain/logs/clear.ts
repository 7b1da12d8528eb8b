import { type Actor, writeAudit } from "#domain/audit-log/audit.ts";
import type { Pool } from "#platform/database/db.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import { dropPartitions } from "./partitions.ts";

/**
 * Permanently drops the days of the log that ended before an instant, for all users. The roll-ups keep their
 * sums. Returns the number of removed entries.
 */
export async function clearLogs(
  { db, pool }: { db: PrismaClient; pool: Pool },
  actor: Actor,
  before: Date,
): Promise<number> {
  const day = `${before.toISOString().slice(0, 10)}T00:00:00Z`;
  const { rows } = await pool.query<{ many: bigint }>(
    "SELECT count(*) AS many FROM request_logs WHERE created_at < $1",
    [day],
  );
  await dropPartitions(pool, 0, { now: before });
  const removed = Number(rows[0]?.many ?? 0n);
  await writeAudit(db, {
    actor,
    action: "log.clear",
    targetType: "log",
    targetId: day.slice(0, 10),
    after: { removed },
  });
  return removed;
}
