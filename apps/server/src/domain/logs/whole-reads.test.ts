import { LogQuery } from "@gateway/shared/usage/log";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { GatewayError } from "#errors.ts";
import type { Database, Pool } from "#platform/database/db.ts";
import { readPrimary } from "#platform/database/replica/replica.ts";
import { openTestDatabase } from "#test/database.ts";
import { createWholeReads } from "./whole-reads.ts";

/** Reads beyond the limits of the console's lists: their results, their time limit, and their number at once. */
let database: Database;
const ROWS = 10_050;
const owner = { of: "owner", userId: 4 } as const;
const few = { atOnce: 1, waiting: 0, ofOneUser: 9, seconds: 30 };
const byModel = LogQuery.parse({ order: "model_name", page: "1", size: "1", token_name: "deep" });

beforeAll(async () => {
  database = await openTestDatabase({ max: 6 });
  await database.pool.query(
    `INSERT INTO request_logs (created_at, request_id, type, user_id, username, token_name, model_name, quota, "group")
     SELECT now() - n * interval '1 second', 'r' || n, 2, 4, 'busy', 'deep', CASE WHEN n = $1 THEN 'a' ELSE 'm' END, 1,
            'default' FROM generate_series(1, $1) n`,
    [ROWS],
  );
});
afterAll(async () => {
  await database.close();
});

/** A pool whose next whole read waits until `open` is called, because another connection has locked the log. */
async function withLockedLog(): Promise<{ pool: Pool; open: () => Promise<void> }> {
  const locker = await database.pool.connect();
  const connectAndLock = async () => {
    const client = await database.pool.connect();
    await locker.query("BEGIN; LOCK TABLE request_logs IN ACCESS EXCLUSIVE MODE");
    return client;
  };
  const pool = { query: database.pool.query.bind(database.pool), connect: connectAndLock };
  return {
    pool: pool as unknown as Pool,
    open: async () => {
      await locker.query("ROLLBACK");
      locker.release();
    },
  };
}

describe("reads of the whole log", () => {
  it("count, sort and page over every row", async () => {
    const reads = createWholeReads(readPrimary(database));
    const sorted = await reads.page(owner, byModel);
    expect([sorted.total_count, sorted.data[0]?.model_name]).toEqual([ROWS, "a"]);
    const last = await reads.page(owner, { ...byModel, order: "", page: ROWS });
    expect(last.data.map((row) => row.model_name)).toEqual(["a"]);
    expect((await reads.page(owner, { ...byModel, page: ROWS + 1 })).data).toEqual([]);
    expect(await reads.totals(owner, byModel)).toMatchObject({ count: ROWS, quota: ROWS });
  });

  it("end with an error that names the remedy when they take too long", async () => {
    const { pool, open } = await withLockedLog();
    const reads = createWholeReads(readPrimary({ ...database, pool }), { ...few, seconds: 0.1 });
    await expect(reads.totals(owner, byModel)).rejects.toMatchObject({
      code: "invalid_request",
      params: { reason: "log_read_too_long", seconds: 0.1 },
    });
    await open();
    // Its place is free again, and its connection has its usual time limit.
    const usual = createWholeReads(readPrimary(database), { ...few, seconds: 10 });
    expect(await usual.totals(owner, byModel)).toMatchObject({ count: ROWS });
    const { rows } = await database.pool.query<{ statement_timeout: string }>("SHOW statement_timeout");
    expect(rows[0]?.statement_timeout).toBe("5min");
  });

  it("are limited in number; reads within the limits of the console are not", async () => {
    const arrived = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const connectLater = async () => {
      arrived.resolve();
      await gate.promise;
      return database.pool.connect();
    };
    const pool = { query: database.pool.query.bind(database.pool), connect: connectLater };
    const reads = createWholeReads(readPrimary({ ...database, pool: pool as unknown as Pool }), {
      ...few,
      waiting: 1,
    });
    const first = reads.totals(owner, byModel);
    await arrived.promise;
    // One of these waits for the first, and the others are refused.
    const refusals: string[] = [];
    const others = [1, 2, 3].map(() =>
      reads.totals(owner, byModel).catch((error: GatewayError) => {
        refusals.push(`${error.code} ${String(error.params["reason"])}`);
        return undefined;
      }),
    );
    await expect.poll(() => refusals.length).toBe(2);
    expect(new Set(refusals)).toEqual(new Set(["rate_limit_exceeded log_reads_busy"]));
    gate.resolve();
    expect(await first).toMatchObject({ count: ROWS });
    expect((await Promise.all(others)).filter((sums) => sums?.count === ROWS)).toHaveLength(1);
    const small = LogQuery.parse({ page: "1", size: "1", start_timestamp: "1", end_timestamp: "2" });
    expect(await reads.page(owner, small)).toMatchObject({ total_count: 0 });
  });

  it("of one user leave places to others", async () => {
    const gate = Promise.withResolvers<void>();
    const connectLater = async () => {
      await gate.promise;
      return database.pool.connect();
    };
    const pool = { query: database.pool.query.bind(database.pool), connect: connectLater };
    const reads = createWholeReads(readPrimary({ ...database, pool: pool as unknown as Pool }), {
      ...few,
      waiting: 9,
      ofOneUser: 2,
    });
    const refusals: string[] = [];
    const own = [1, 2, 3].map(() =>
      reads.totals(owner, byModel).catch((error: GatewayError) => {
        refusals.push(error.code);
        return undefined;
      }),
    );
    await expect.poll(() => refusals).toEqual(["rate_limit_exceeded"]);
    const ofAll = reads.totals({ of: "everybody" }, byModel);
    gate.resolve();
    expect(await ofAll).toMatchObject({ count: ROWS });
    expect((await Promise.all(own)).filter((sums) => sums?.count === ROWS)).toHaveLength(2);
    expect(await reads.totals(owner, byModel)).toMatchObject({ count: ROWS });
  });
});
