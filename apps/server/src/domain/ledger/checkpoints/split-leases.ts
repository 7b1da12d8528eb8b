import type { Lease, Place, Step } from "#domain/ledger/batches/steps.ts";
import type { LeaseBook } from "#domain/ledger/leases/lease-book.ts";
import type { Connection } from "#platform/database/connection.ts";
import { type SplitRequest, type SplitRow, splitStatement } from "./checkpoint-statements.ts";
import { checkpointOf } from "./checkpoint.ts";

type Mark = Extract<Step, { mark: object }>;
type LeasedPlace = Place & { readonly lease: Lease };

/**
 * Writes first checkpoints of calls in leases: each call gets a reservation of its own, taken from its lease.
 * Runs in a shard, because the batches of a lease must be sequential.
 */
export interface Splits {
  /**
   * Determines which of these calls already got a reservation of their own from an earlier statement whose
   * response was lost. Call it before a batch changes their leases.
   */
  resolve(steps: readonly Step[]): Promise<void>;
  /** Calls that cannot be split now stay unchanged; the next checkpoint tries again. */
  split(marks: readonly Mark[]): Promise<void>;
}

export interface SplitOptions {
  connection: Pick<Connection, "query">;
  book: LeaseBook;
  /** Returns which of these calls have a reservation of their own on this node. */
  reserved(requestIds: string[]): Promise<Set<string>>;
  /** Reads the current state of these leases again. */
  lookUp(leases: readonly Lease[]): Promise<unknown>;
}

export function createSplits({ connection, book, reserved, lookUp }: SplitOptions): Splits {
  return {
    async resolve(steps) {
      const unclear = steps.flatMap((step) => {
        const place = step.mark === undefined ? step.end && step.place : step.place;
        const requestId = (step.mark ?? step.end)?.requestId;
        return place?.splitting === true && requestId !== undefined ? [{ place, requestId }] : [];
      });
      const there = await reserved(unclear.map(({ requestId }) => requestId));
      for (const { place, requestId } of unclear) if (there.has(requestId)) book.detach(place);
    },

    async split(marks) {
      const requested = marks.flatMap(({ mark, place }) => (isInLease(place) ? [{ mark, place }] : []));
      if (requested.length === 0) return;
      const leases = [...new Set(requested.map(({ place }) => place.lease))];
      const requests = requested.map(({ mark, place: { lease, amount } }): SplitRequest => ({
        request_id: mark.requestId,
        lease: lease.id,
        version: lease.version,
        limited: lease.limited,
        amount: String(amount),
        checkpoint: checkpointOf(mark),
      }));
      for (const { place } of requested) place.splitting = true;
      const rows = await connection
        .query<SplitRow>({
          ...splitStatement,
          values: [
            JSON.stringify(requests),
            [...new Set(requested.map(({ mark }) => mark.userId))],
            [...new Set(requested.map(({ mark }) => mark.tokenId))],
            leases.map(({ id }) => id),
          ],
        })
        .catch((error: unknown) => {
          for (const lease of leases) lease.unsure = true;
          throw error;
        });
      const points = new Map(rows.map((row) => [row.id, row.points]));
      for (const { mark, place } of requested) if (points.get(mark.requestId) === null) book.detach(place);
      const silent = leases.filter((lease) => {
        const left = points.get(lease.id);
        if (typeof left === "bigint") book.confirm(lease, lease.version + 1, left);
        return typeof left !== "bigint";
      });
      await lookUp(silent);
    },
  };
}

/** Returns whether the call still needs a checkpoint and is in a lease. An ending call needs none. */
function isInLease(place: Place): place is LeasedPlace {
  return place.lease !== undefined && !place.ending && !place.left;
}
