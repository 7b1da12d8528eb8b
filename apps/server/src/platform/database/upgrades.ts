import type { Pool } from "./db.ts";

/** Days after a migration in which nodes of the previous version may still run. */
const UPGRADE_DAYS = 7;

/**
 * Returns whether a migration was applied so long ago that no node of the version before it runs any more. What such a
 * node could not read may be written from then on.
 * @param migration name of its folder
 */
export async function isUpgradeOver(pool: Pool, migration: string): Promise<boolean> {
  const { rows } = await pool.query<{ over: boolean }>(
    `SELECT finished_at < now() - make_interval(days => $2) AS over FROM _prisma_migrations
     WHERE migration_name = $1 AND finished_at IS NOT NULL`,
    [migration, UPGRADE_DAYS],
  );
  return rows[0]?.over === true;
}
