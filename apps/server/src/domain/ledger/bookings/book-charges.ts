/** Books what calls in leases have cost to the rows of accounts and tokens. */
import { setTimeout as sleep } from "node:timers/promises";
import type { LeaseBook } from "#domain/ledger/leases/lease-book.ts";
import { type Activity, startPeriodicTask } from "#platform/activity.ts";
import { databaseTrouble, isLockTimeout } from "#platform/database/connection-loss.ts";
import type { Connection } from "#platform/database/connection.ts";
import type { Db, Pool } from "#platform/database/db.ts";
import { readStatement } from "#platform/database/prepared-statement.ts";

const bookChargesStatement = readStatement(import.meta.url, "book-charges.sql");

/** A statement locks this number of accounts at most, for a few milliseconds. */
const portion = 100;
const everyMs = 1_000;
const restingMs = 60_000;

/** Pauses before each attempt at rows that another transaction has locked: 200 ms in total. */
const pausesMs: readonly number[] = [0, 5, 10, 20, 40, 60, 65];

/**
 * Books the charges of an account, or of all accounts. Call it before balances, usage or limits are shown or
 * changed: afterwards their rows contain every call that has ended before. It does not wait for accounts that
 * stay locked.
 */
export async function bookCharges(db: Db, userId?: number): Promise<void> {
  let wanted: string[] | undefined;
  for (const pauseMs of pausesMs) {
    if (pauseMs > 0) await sleep(pauseMs);
    const leases = await db.reservation.findMany({
      where: {
        ended: { gt: 0 },
        ...(userId !== undefined && { user_id: userId }),
        ...(wanted !== undefined && { request_id: { in: wanted } }),
      },
      select: { request_id: true, user_id: true },
    });
    const booked = new Set<string>();
    const ids = [...new Set(leases.map((lease) => lease.user_id))].sort((one, other) => one - other);
    for (let at = 0; at < ids.length; at += portion) {
      const rows = await db.$queryRawUnsafe<{ request_id: string }[]>(
        bookChargesStatement.text,
        ids.slice(at, at + portion),
        null,
        false,
      );
      for (const row of rows) booked.add(row.request_id);
    }
    wanted = leases.map((lease) => lease.request_id).filter((id) => !booked.has(id));
    if (wanted.length === 0) return;
  }
}

const mergeStatement = readStatement(import.meta.url, "merge-hour-rows.sql");

/**
 * Merges the rows that several nodes have written to the roll-up of the same hours, which must be over.
 * @param since earlier hours are left
 */
export async function mergeHourRows(
  pool: Pool,
  { since, until }: { since: Date; until: Date },
): Promise<void> {
  await pool.query({ text: mergeStatement.text, values: [since, until] });
}

export interface BookingOptions {
  activity: Pick<Activity, "isResting" | "onWake">;
  connection: Pick<Connection, "query">;
  nodeId: string;
  book: Pick<LeaseBook, "markBooked">;
  onError: (error: unknown) => void;
}

/**
 * Books the charges of this node's leases once a second. It does not wait for leases that a batch is charging at
 * that moment: batches of busy keys book them.
 */
export function createBookings({ activity, connection, nodeId, book, onError }: BookingOptions) {
  let charged = new Set<number>();

  async function run(): Promise<void> {
    const ids = [...charged];
    charged = new Set();
    try {
      for (let at = 0; at < ids.length; at += portion) {
        const values = [ids.slice(at, at + portion), nodeId, true];
        for (const row of await connection.query<{ request_id: string }>({ ...bookChargesStatement, values }))
          book.markBooked(row.request_id);
      }
    } catch (error) {
      for (const id of ids) charged.add(id);
      throw error;
    }
  }

  const task = startPeriodicTask(activity, { everyMs, restingMs }, async () => {
    try {
      if (charged.size > 0) await run();
    } catch (error) {
      // Other operations report an unavailable database. A locked lease is booked the next time.
      if (databaseTrouble(error) === undefined && !isLockTimeout(error)) onError(error);
    }
  });

  return {
    /** A call of this account ended in a lease. */
    charged: (userId: number): void => void charged.add(userId),
    close: () => task.close(),
  };
}
