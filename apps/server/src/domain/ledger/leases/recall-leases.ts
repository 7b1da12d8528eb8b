import { setTimeout as sleep } from "node:timers/promises";
import type { Lease, LeaseSelector } from "#domain/ledger/batches/operations.ts";
import type { Shards } from "#domain/ledger/batches/shards.ts";
import type { Decision } from "#domain/ledger/calls/refusal.ts";
import { type Activity, startPeriodicTask } from "#platform/activity.ts";
import { announce } from "#platform/announcements.ts";
import type { Db } from "#platform/database/db.ts";
import type { LeaseBook } from "./lease-book.ts";

/** Gives back leases: idle ones, and those of accounts whose points are needed elsewhere. */
export interface LeaseRecalls {
  /**
   * Gives back the points of these leases that this node's open calls do not need. Resolves after the commit.
   */
  recall(of: LeaseSelector): Promise<void>;
  /** Gives back this node's leases of an account and asks the other nodes to do the same. */
  recallEverywhere(userId: number): Promise<void>;
  close(): void;
}

export interface LeaseRecallOptions {
  activity: Pick<Activity, "isResting" | "onWake">;
  book: LeaseBook;
  shards: Pick<Shards, "add">;
  /** Asks every node to give back the unneeded points of an account's leases. */
  askOthers(userId: number): Promise<void>;
  onError: (error: unknown) => void;
}

const lookEveryMs = 1_000;
const restingLookMs = 60_000;
/** Refused calls of one account within this time share one request to the other nodes. */
const sharedForMs = 50;

/** Pauses before each retry of a call that may have been refused because of leases: 200 ms in total. */
export const recallPausesMs: readonly number[] = [10, 20, 40, 60, 70];

export function createLeaseRecalls({
  activity,
  book,
  shards,
  askOthers,
  onError,
}: LeaseRecallOptions): LeaseRecalls {
  const requested = new Map<number, Promise<void>>();

  async function give(leases: readonly Lease[]): Promise<void> {
    await Promise.all(
      leases.map(async (lease) => {
        lease.isReturning = true;
        try {
          await shards.add({ kind: "return", lease });
        } finally {
          lease.isReturning = false;
        }
      }),
    );
  }

  const recall = (of: LeaseSelector) => give(book.closeLeases(of));

  const times = { everyMs: lookEveryMs, restingMs: restingLookMs };
  // Leases are idle for a few seconds only, so a resting node has none.
  const task = startPeriodicTask(activity, times, async () => {
    const idle = book.leasesToReturn();
    if (idle.length > 0) give(idle).catch(onError);
  });

  return {
    recall,

    recallEverywhere(userId) {
      const known = requested.get(userId);
      if (known !== undefined) return known;
      const asking = Promise.all([recall({ userId }), askOthers(userId)])
        .then(() => undefined)
        .catch(onError);
      requested.set(userId, asking);
      setTimeout(() => requested.delete(userId), sharedForMs).unref();
      return asking;
    },

    close: () => void task.close(),
  };
}

/** Returns whether a refused call could be granted after leases are given back. */
export function leasesMayHelp({ verdict, most }: Decision): boolean {
  return (verdict === "balance" || verdict === "token") && (most ?? 0n) > 0n;
}

/**
 * Asks every node to give back its leases of an account, and waits for that, for at most 200 ms. Used before
 * a deduction, which takes only free points. Call it outside a transaction: the commit sends the request.
 */
export async function recallLeases(db: Db, userId: number): Promise<void> {
  for (const pauseMs of [0, ...recallPausesMs]) {
    if (pauseMs > 0) await sleep(pauseMs);
    const leased = await db.reservation.count({
      where: { user_id: userId, version: { gt: 0 }, amount: { gt: 0 } },
    });
    if (leased === 0) return;
    if (pauseMs === 0) await announce(db, "leases", userId);
  }
}
