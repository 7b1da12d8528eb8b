import { type Activity, startPeriodicTask } from "#platform/activity.ts";
import type { Db, Pool } from "#platform/database/db.ts";
import { readStatement } from "#platform/database/prepared-statement.ts";

/**
 * Collects the revenue of channels. Ledger batches append to `channel_charges`, so that no call waits for a
 * channel's row.
 */
const { text: collectText } = readStatement(import.meta.url, "collect-channel-charges.sql");

/** Updates `channels.used_quota`. Call it before the column is shown. */
export async function collectChannelCharges(db: Db): Promise<void> {
  await db.$executeRawUnsafe(collectText);
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
      await pool.query(collectText);
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
