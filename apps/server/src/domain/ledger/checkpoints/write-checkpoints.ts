import type { ReservedCall } from "#domain/ledger/batches/operations.ts";
import type { Shards } from "#domain/ledger/batches/shards.ts";
import type { CallRecord } from "#domain/ledger/calls/call-record.ts";
import { readRow, rowOf } from "#domain/ledger/calls/log-rows.ts";
import { databaseTrouble } from "#platform/database/connection-loss.ts";
import type { Connection } from "#platform/database/connection.ts";
import { readStatement } from "#platform/database/prepared-statement.ts";
import type { TransientMap } from "#platform/memory/transient-map.ts";

const renewStatement = readStatement(import.meta.url, "renew-checkpoints.sql");
const removeStatement = readStatement(import.meta.url, "remove-checkpoints.sql");

/** Writes the checkpoints of long calls, and charges calls whose node died. */
export interface Checkpoints {
  /**
   * Writes the checkpoints of these calls, in batches. The first one of a call in a lease splits the lease.
   * Never throws.
   */
  write(records: readonly CallRecord[]): Promise<void>;
  /**
   * Charges abandoned reservations and writes their log rows.
   * Each is charged once, even if other nodes try, too.
   */
  settleAbandoned(rows: readonly AbandonedCall[]): void;
}

/** A reservation with a checkpoint. */
export interface AbandonedCall {
  request_id: string;
  checkpoint: unknown;
}

export interface CheckpointOptions {
  connection: Pick<Connection, "query">;
  nodeId: string;
  shards: Pick<Shards, "add">;
  /** This node's open calls, by request id. */
  open: Pick<TransientMap<string, ReservedCall>, "get">;
  /** Returns false while this node is stopping and takes over no lost calls. */
  mayTakeOver(): boolean;
  onError: (error: unknown) => void;
  /** Called after a lost call was charged. */
  onCharge: () => void;
  /** Called with the number of checkpoints that were written. */
  onCheckpoints: (calls: number) => void;
}

/** Maximum number of checkpoints per statement. */
const portion = 200;

export function createCheckpoints(options: CheckpointOptions): Checkpoints {
  const { connection, nodeId, shards, open, onError, onCheckpoints } = options;
  const inProgress = new Set<string>();

  async function renew(records: readonly CallRecord[]): Promise<void> {
    for (let at = 0; at < records.length; at += portion) {
      const some = records.slice(at, at + portion);
      const rows = some.map((record) => ({
        request_id: record.requestId,
        checkpoint: rowOf(record),
      }));
      const ids = some.map(({ requestId }) => requestId);
      await connection.query({ ...renewStatement, values: [JSON.stringify(rows), ids, nodeId] });
    }
  }

  async function settle(record: CallRecord): Promise<void> {
    if (inProgress.has(record.requestId)) return;
    inProgress.add(record.requestId);
    try {
      if ((await shards.add({ kind: "settle", record })).verdict === "settled") options.onCharge();
    } catch (error) {
      onError(error);
    } finally {
      inProgress.delete(record.requestId);
    }
  }

  return {
    async write(records) {
      const own: CallRecord[] = [];
      const first: Promise<unknown>[] = [];
      for (const record of records) {
        const call = open.get(record.requestId);
        if (call === undefined) continue;
        if (call.lease === undefined) own.push(record);
        else first.push(shards.add({ kind: "checkpoint", record, call }));
      }
      if (own.length + first.length === 0) return;
      const ends = await Promise.allSettled([renew(own).then(() => onCheckpoints(own.length)), ...first]);
      onCheckpoints(ends.slice(1).filter((end) => end.status === "fulfilled").length);
      const failed = ends.find((end) => end.status === "rejected");
      // The next checkpoint follows within seconds. Other operations report an unavailable database.
      if (failed !== undefined && databaseTrouble(failed.reason) === undefined) onError(failed.reason);
    },

    settleAbandoned(rows) {
      if (!options.mayTakeOver()) return;
      const unreadable: string[] = [];
      for (const { request_id, checkpoint } of rows) {
        const record = readRow(checkpoint);
        if (record?.requestId === request_id) void settle(record);
        else unreadable.push(request_id);
      }
      if (unreadable.length === 0) return;
      onError(
        new Error(
          `The checkpoints of ${unreadable.length} interrupted calls cannot be read (${unreadable[0]}). These calls cost nothing.`,
        ),
      );
      connection.query({ ...removeStatement, values: [unreadable] }).catch(onError);
    },
  };
}
