import type {
  CheckpointOperation,
  Lease,
  ReservedCall,
  SettleOperation,
} from "#domain/ledger/batches/operations.ts";
import { rowOf } from "#domain/ledger/calls/log-rows.ts";
import type { LeaseBook } from "#domain/ledger/leases/lease-book.ts";
import type { Connection } from "#platform/database/connection.ts";
import { readStatement } from "#platform/database/prepared-statement.ts";

const splitStatement = readStatement(import.meta.url, "split-leases.sql");

/** Parameters of a call's first checkpoint, which splits the call from its lease. */
interface SplitRequest {
  request_id: string;
  lease: string;
  /** Version of the lease that the node knows. */
  version: number;
  limited: boolean;
  amount: string;
  checkpoint: object;
}

/** For a lease: its remaining points. For a call: null, because it now has a reservation of its own. */
interface SplitRow {
  id: string;
  points: bigint | null;
}

/** The end or checkpoint of a call to which an earlier statement may have given a reservation of its own. */
export type SplittingOperation = (SettleOperation | CheckpointOperation) & { readonly call: ReservedCall };

type LeasedCall = ReservedCall & { readonly lease: Lease };

/**
 * Writes first checkpoints of calls in leases: each call gets a reservation of its own, taken from its lease.
 * Runs in a shard, because the batches of a lease must be sequential.
 */
export interface LeaseSplitter {
  /**
   * Determines which of these splitting calls already got a reservation of their own from an earlier statement whose
   * response was lost. Call it before a batch changes their leases.
   */
  resolveUncertain(operations: readonly SplittingOperation[]): Promise<void>;
  /** Calls that cannot be split now stay unchanged; the next checkpoint tries again. */
  split(operations: readonly CheckpointOperation[]): Promise<void>;
}

export interface LeaseSplitterOptions {
  connection: Pick<Connection, "query">;
  book: LeaseBook;
  /** Returns which of these calls have a reservation of their own on this node. */
  findReserved(requestIds: string[]): Promise<Set<string>>;
  /** Reads the current state of these leases again. */
  lookUp(leases: readonly Lease[]): Promise<unknown>;
}

export function createLeaseSplitter({
  connection,
  book,
  findReserved,
  lookUp,
}: LeaseSplitterOptions): LeaseSplitter {
  return {
    async resolveUncertain(operations) {
      const there = await findReserved(operations.map(({ record }) => record.requestId));
      for (const { call, record } of operations) if (there.has(record.requestId)) book.detachCall(call);
    },

    async split(operations) {
      const requested = operations.flatMap(({ record, call }) => (isInLease(call) ? [{ record, call }] : []));
      if (requested.length === 0) return;
      const leases = [...new Set(requested.map(({ call }) => call.lease))];
      const requests = requested.map(({ record, call: { lease, amount } }): SplitRequest => ({
        request_id: record.requestId,
        lease: lease.id,
        version: lease.version,
        limited: lease.limited,
        amount: String(amount),
        checkpoint: rowOf(record),
      }));
      for (const { call } of requested) call.isSplitting = true;
      const rows = await connection
        .query<SplitRow>({
          ...splitStatement,
          values: [
            JSON.stringify(requests),
            [...new Set(requested.map(({ record }) => record.userId))],
            [...new Set(requested.map(({ record }) => record.tokenId))],
            leases.map(({ id }) => id),
          ],
        })
        .catch((error: unknown) => {
          for (const lease of leases) lease.isUncertain = true;
          throw error;
        });
      const points = new Map(rows.map((row) => [row.id, row.points]));
      for (const { record, call } of requested)
        if (points.get(record.requestId) === null) book.detachCall(call);
      const silent = leases.filter((lease) => {
        const left = points.get(lease.id);
        if (typeof left === "bigint") book.confirmLease(lease, lease.version + 1, left);
        return typeof left !== "bigint";
      });
      await lookUp(silent);
    },
  };
}

/** Returns whether the call still needs a checkpoint and is in a lease. An ending call needs none. */
function isInLease(call: ReservedCall): call is LeasedCall {
  return call.lease !== undefined && !call.isEnding && !call.hasEnded;
}
