import { setImmediate as nextTurn } from "node:timers/promises";
import type { CallRecord } from "#domain/ledger/calls/call-record.ts";
import { type Activity, type PeriodicTask, startPeriodicTask } from "#platform/activity.ts";
import { now } from "#platform/clock.ts";
import type { OpenCall, RelayServices } from "#relay/core/services.ts";

/**
 * Writes checkpoints of long calls while they run. Short calls are only scanned, which costs almost nothing.
 */
const LOOK_EVERY_MS = 500;
/** A node with an open call does not rest. */
const RESTING_MS = 60_000;
/** Calls per batch of checkpoints. Other work runs between two batches. */
const PORTION = 50;

/** Writes checkpoints of this node's open calls until closed. */
export function keepCheckpoints(
  { open, ledger, onError }: Pick<RelayServices, "open" | "ledger" | "onError">,
  activity: Pick<Activity, "isResting" | "onWake">,
): PeriodicTask {
  let isClosed = false;

  async function look(): Promise<void> {
    const at = now();
    let records: CallRecord[] = [];
    for (const call of open.values()) {
      const record = recordOf(call, at);
      if (record === undefined) continue;
      records.push(record);
      if (records.length < PORTION) continue;
      await ledger.checkpoint(records);
      await nextTurn();
      if (isClosed) return;
      records = [];
    }
    if (records.length > 0) await ledger.checkpoint(records);
  }

  /** Returns the call's checkpoint. A call that cannot be billed must not block the others. */
  function recordOf(call: OpenCall, at: number): CallRecord | undefined {
    try {
      return call.checkpoint(at);
    } catch (error) {
      onError(error);
      return undefined;
    }
  }

  const times = { everyMs: LOOK_EVERY_MS, restingMs: RESTING_MS };
  const task = startPeriodicTask(activity, times, () => look().catch(onError));

  return {
    async close() {
      isClosed = true;
      await task.close();
    },
  };
}
