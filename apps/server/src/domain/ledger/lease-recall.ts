import { setTimeout as sleep } from "node:timers/promises";
import { announce } from "#platform/announcements.ts";
import type { Db } from "#platform/database/db.ts";
import type { LeaseBook } from "./lease-book.ts";
import type { Shards } from "./ledger-shards.ts";
import type { Lease, LeaseOwner } from "./steps.ts";
import type { Judgement } from "./verdict.ts";

/** Gives leases back: the idle ones, and those of accounts whose points are needed elsewhere. */
export interface Recalls {
  /** Gives back what this node's open calls do not need of these leases. Resolves when that is committed. */
  recall(of: LeaseOwner): Promise<void>;
  /** Gives back what this node has leased of an account, and asks the other nodes to do the same. */
  gather(userId: number): Promise<void>;
  close(): void;
}

export interface RecallOptions {
  book: LeaseBook;
  shards: Pick<Shards, "add">;
  /** Asks every node to give back what it does not need of an account's leases. */
  askOthers(userId: number): Promise<void>;
  onError: (error: unknown) => void;
}

const lookEveryMs = 1_000;
/** Refused calls of one account share one question to the other nodes. */
const sharedForMs = 50;

/** A call that leases may have kept from its points is tried again after these pauses: 200 ms in all. */
export const recallPausesMs: readonly number[] = [10, 20, 40, 60, 70];

export function createRecalls({ book, shards, askOthers, onError }: RecallOptions): Recalls {
  const requested = new Map<number, Promise<void>>();

  async function give(leases: readonly Lease[]): Promise<void> {
    await Promise.all(
      leases.map(async (lease) => {
        lease.giving = true;
        try {
          await shards.add({ give: lease });
        } finally {
          lease.giving = false;
        }
      }),
    );
  }

  const recall = (of: LeaseOwner) => give(book.close(of));

  const timer = setInterval(() => {
    const idle = book.idle();
    if (idle.length > 0) give(idle).catch(onError);
  }, lookEveryMs);
  timer.unref();

  return {
    recall,

    gather(userId) {
      const known = requested.get(userId);
      if (known !== undefined) return known;
      const asking = Promise.all([recall({ userId }), askOthers(userId)])
        .then(() => undefined)
        .catch(onError);
      requested.set(userId, asking);
      setTimeout(() => requested.delete(userId), sharedForMs).unref();
      return asking;
    },

    close: () => clearInterval(timer),
  };
}

/** Whether a refused call could be granted when leases are given back. */
export function leasesMayHelp({ verdict, most }: Judgement): boolean {
  return (verdict === "balance" || verdict === "token") && (most ?? 0n) > 0n;
}

/**
 * Asks every node for its leases of an account and waits until they are back, 200 ms at most. For a deduction, which
 * takes no more than what is free. Call it outside of a transaction: the question is sent with its commit.
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
