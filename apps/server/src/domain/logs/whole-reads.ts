import type { LogPage, LogTotals } from "@gateway/shared/usage/log";
import { GatewayError, invalidRequest } from "#errors.ts";
import { isCanceled } from "#platform/database/connection-loss.ts";
import type { Pool, Reader } from "#platform/database/db.ts";
import type { ReadDatabase } from "#platform/database/replica/replica.ts";
import { type LogSearch, type LogView, MOST_SEARCHED } from "./filter.ts";
import { isShallow, searchLogs } from "./search.ts";
import { totalLogs } from "./totals.ts";

/**
 * Pages and sums over every row of a filter, whatever their number. Requests that the limits of the console's lists
 * cover are read as the console does. All others read as many rows as the filter has: a node runs only a few of them
 * at once, each within a time limit, so that they leave the database to the calls of clients.
 */
export interface WholeReads {
  page(view: LogView, query: LogSearch): Promise<LogPage>;
  totals(view: LogView, query: LogSearch): Promise<LogTotals>;
}

interface Limits {
  /** Reads that run at the same time. */
  atOnce: number;
  /** Reads that wait for one of these. Further ones are refused. */
  waiting: number;
  /** Reads of one user's own log, running and waiting. They leave places to others. */
  ofOneUser: number;
  /** Time limit of a read. */
  seconds: number;
}

const usual: Limits = { atOnce: 2, waiting: 20, ofOneUser: 5, seconds: 10 };

export function createWholeReads(database: ReadDatabase, limits: Limits = usual): WholeReads {
  const { atOnce, waiting, ofOneUser, seconds } = limits;
  let running = 0;
  const queue: (() => void)[] = [];
  /** Reads by user. */
  const reads = new Map<number, number>();

  const busy = () =>
    new GatewayError("rate_limit_exceeded", { reason: "log_reads_busy" }, { retryAfter: seconds });

  async function take(): Promise<void> {
    if (running < atOnce) {
      running += 1;
      return;
    }
    if (queue.length >= waiting) throw busy();
    // The read that ends passes its place on.
    await new Promise<void>((resolve) => queue.push(resolve));
  }

  function giveBack(): void {
    const next = queue.shift();
    if (next === undefined) running -= 1;
    else next();
  }

  async function readAll<T>(view: LogView, work: (reader: Reader) => Promise<T>): Promise<T> {
    const user = view.of === "owner" ? view.userId : undefined;
    return countedFor(user, async () => {
      await take();
      try {
        return await database.run(({ pool }) => within(pool, seconds, work));
      } catch (error) {
        if (isCanceled(error)) throw invalidRequest({ reason: "log_read_too_long", seconds });
        throw error;
      } finally {
        giveBack();
      }
    });
  }

  async function countedFor<T>(user: number | undefined, work: () => Promise<T>): Promise<T> {
    if (user === undefined) return work();
    const count = reads.get(user) ?? 0;
    if (count >= ofOneUser) throw busy();
    reads.set(user, count + 1);
    try {
      return await work();
    } finally {
      const left = (reads.get(user) ?? 1) - 1;
      if (left === 0) reads.delete(user);
      else reads.set(user, left);
    }
  }

  async function totals(view: LogView, query: LogSearch): Promise<LogTotals> {
    const sums = await database.run(({ pool }) => totalLogs(pool, view, query));
    if (sums.complete) return sums;
    return readAll(view, (reader) => totalLogs(reader, view, { ...query, whole: true }));
  }

  return {
    totals,
    async page(view, query) {
      const { count } = await totals(view, query);
      const { page = 1, size } = query;
      const isCovered = isShallow(query, count <= MOST_SEARCHED);
      const found = isCovered
        ? await database.run(({ pool }) => searchLogs(pool, view, query))
        : await readAll(view, (reader) => searchLogs(reader, view, { ...query, whole: true }));
      return { ...found, page, size, total_count: count };
    },
  };
}

/** Runs reads on one connection, one after the other, and cancels a statement after `seconds`. */
async function within<T>(pool: Pool, seconds: number, work: (reader: Reader) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  let last: Promise<unknown> = Promise.resolve();
  try {
    await client.query("BEGIN READ ONLY");
    await client.query(`SET LOCAL statement_timeout = ${seconds * 1_000}`);
    const query = (sql: string, values: unknown[] = []) => {
      const answer = last.then(() => client.query(sql, values));
      last = answer.catch(() => undefined);
      return answer;
    };
    return await work({ query: query as Reader["query"] });
  } finally {
    await last;
    await client.query("ROLLBACK").catch((error: Error) => {
      broken = error;
    });
    client.release(broken);
  }
}
