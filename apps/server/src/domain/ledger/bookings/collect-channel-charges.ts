import { type Activity, startPeriodicTask } from "#platform/activity.ts";
import type { Db, Pool } from "#platform/database/db.ts";

/**
 * Collects the revenue of channels. Ledger batches append to `channel_charges`, so that no call waits for a
 * channel's row. This statement adds those rows to `channels.used_quota`, each exactly once. Rows of a locked
 * channel stay until the next run.
 */
export const collectStatement = `
WITH free AS MATERIALIZED (
  SELECT id FROM channels WHERE id IN (SELECT channel_id FROM channel_charges)
  ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
), taken AS (
  DELETE FROM channel_charges h
  WHERE h.channel_id IN (SELECT id FROM free) OR NOT EXISTS (SELECT FROM channels c WHERE c.id = h.channel_id)
  RETURNING channel_id, quota
)
UPDATE channels c SET used_quota = c.used_quota + s.quota
FROM (SELECT channel_id, sum(quota)::bigint AS quota FROM taken GROUP BY channel_id) s
WHERE c.id = s.channel_id`;

/** Updates `channels.used_quota`. Call it before the column is shown. */
export async function collectChannelCharges(db: Db): Promise<void> {
  await db.$executeRawUnsafe(collectStatement);
}

const EVERY_MS = 5_000;
const RESTING_MS = 60_000;

/** Updates the channels' sums every few seconds, if anything was charged. */
export function createChannelChargeCollector(
  pool: Pool,
  activity: Pick<Activity, "isResting" | "onWake">,
  onError: (error: unknown) => void,
) {
  let hasCharges = false;
  const times = { everyMs: EVERY_MS, restingMs: RESTING_MS };
  const task = startPeriodicTask(activity, times, () => update().catch(onError));

  async function update(): Promise<void> {
    if (!hasCharges) return;
    hasCharges = false;
    try {
      await pool.query(collectStatement);
    } catch (error) {
      hasCharges = true;
      throw error;
    }
  }

  return {
    charged(): void {
      hasCharges = true;
    },
    update,
    /** Ends the timer. */
    pause: () => void task.close(),
  };
}
