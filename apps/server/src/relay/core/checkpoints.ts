import { setImmediate as nextTurn } from "node:timers/promises";
import type { CallRecord } from "#domain/ledger/call-record.ts";
import { now } from "#platform/clock.ts";
import type { OpenCall, RelayServices } from "./services.ts";

/** Writes the checkpoints of long calls while they run. Short calls are looked at in passing and cost nothing. */
const LOOK_EVERY_MS = 500;
/** Other calls go on between two portions. */
const PORTION = 50;

/** Looks after the open calls of this node until it is closed. */
export function keepCheckpoints({
  open,
  ledger,
  onError,
}: Pick<RelayServices, "open" | "ledger" | "onError">): { close(): void } {
  let isLooking = false;
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

  /** A call whose bill cannot be made must not keep the others from theirs. */
  function recordOf(call: OpenCall, at: number): CallRecord | undefined {
    try {
      return call.checkpoint(at);
    } catch (error) {
      onError(error);
      return undefined;
    }
  }

  const timer = setInterval(() => {
    if (isLooking || open.size === 0) return;
    isLooking = true;
    look()
      .catch(onError)
      .finally(() => {
        isLooking = false;
      });
  }, LOOK_EVERY_MS);
  timer.unref();

  return {
    close() {
      isClosed = true;
      clearInterval(timer);
    },
  };
}
