/**
 * Database cost of ending a call as a day grows. It uses the ledger itself, in batches, on days with more and
 * more calls. The days are measured in turn, so that other load on the machine affects all of them.
 */
import { randomUUIDv7 } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { CallRecord } from "#domain/ledger/calls/call-record.ts";
import { createLedger, type Ledger } from "#domain/ledger/ledger.ts";
import { completeIndexes } from "#domain/logs/partition-indexes.ts";
import { connect, type Pool } from "#platform/database/db.ts";
import { migrate, migrationsFolder } from "#platform/database/migrate.ts";
import { attemptsOf, billOf, fillDay, fillUsers, inventCall, type People, peopleOf } from "./rows.ts";

const sizes = [0, 100_000, 333_333, 1_000_000, 2_000_000];
export const batch = 100;
const batchesPerRound = 10;
export const callsPerRound = batch * batchesPerRound;
export const rounds = 12;
const users = 2_000;
const database = "gateway_insert_cost";
const dayMs = 86_400_000;
const firstDay = Date.parse("2090-01-01T00:00:00Z");

export interface InsertCost {
  /** Number of calls that the day already contains. */
  rows: number;
  /** Median microseconds per call: CPU time and wall time. */
  processor: number;
  clock: number;
}

/** Measures in a temporary database on the given server, and drops it afterwards. */
export async function insertCost(url: string, say: (line: string) => void): Promise<InsertCost[]> {
  const server = connect(url, { max: 1 });
  await server.pool.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
  await server.pool.query(`CREATE DATABASE ${database}`);
  const own = new URL(url);
  own.pathname = `/${database}`;
  await migrate(own.href, migrationsFolder);
  const place = connect(own.href, { max: 1 });
  const { pool, close } = place;
  try {
    await fillUsers(pool, users);
    const days = sizes.map((rows, index) => ({ rows, from: firstDay + index * dayMs, took: [] as Took[] }));
    for (const { rows: rowsBefore, from } of days) {
      // Half a day. The measured calls follow it in time, as real calls do.
      await fillDay(pool, { day: new Date(from), rows: rowsBefore, seconds: 43_200 });
      say(`filled a day with ${rowsBefore.toLocaleString("en")} calls`);
    }
    await completeIndexes(pool);
    await pool.query("VACUUM ANALYZE");
    const people = await peopleOf(pool);
    const ledger = createLedger({
      database: place,
      shards: 1,
      nodeId: "bench",
      onError: (error) => say(String(error)),
    });
    // Opens the ledger's connection, so that its process can be measured.
    await ledger.reserve({
      requestId: "opens",
      userId: people.users[0]?.id ?? 0,
      tokenId: people.firstToken,
      amount: 0n,
      tokenAmount: 0n,
    });
    const processor = await processorOf(pool, url);
    // The first round warms up caches, as the earlier hours of a day would.
    for (let round = 0; round <= rounds; round += 1) {
      for (let step = 0; step < days.length; step += 1) {
        const day = days[(round + step) % days.length];
        const took = await settleMany(
          ledger,
          people,
          (day?.from ?? 0) + dayMs / 2 + round * 60_000,
          processor,
        );
        if (round > 0) day?.took.push(took);
      }
    }
    await ledger.close();
    return days.map(({ rows, took }) => ({
      rows,
      processor: median(took.map((each) => each.processor)),
      clock: median(took.map((each) => each.clock)),
    }));
  } finally {
    await close();
    await server.pool.query(`DROP DATABASE ${database} WITH (FORCE)`);
    await server.close();
  }
}

type Took = Omit<InsertCost, "rows">;

/** Settles calls that were started before the measurement. */
async function settleMany(
  ledger: Ledger,
  people: People,
  from: number,
  processor: () => Promise<number>,
): Promise<Took> {
  const took: Took = { processor: 0, clock: 0 };
  for (let n = 0; n < batchesPerRound; n += 1) {
    const records = Array.from({ length: batch }, (_, place) => recordAt(people, from + n * batch + place));
    await Promise.all(
      records.map(({ requestId, userId, tokenId }) =>
        ledger.reserve({ requestId, userId, tokenId, amount: 0n, tokenAmount: 0n }),
      ),
    );
    const [clockBefore, processorBefore] = [performance.now(), await processor()];
    const outcomes = await Promise.all(records.map((record) => ledger.settle(record)));
    took.processor += ((await processor()) - processorBefore) / callsPerRound;
    took.clock += ((performance.now() - clockBefore) * 1000) / callsPerRound;
    if (outcomes.includes("gone")) throw new Error("A call was not settled.");
  }
  return took;
}

/**
 * Returns the CPU microseconds of the database's process. NaN on another machine, or one that does not report
 * them.
 */
async function processorOf(pool: Pool, url: string): Promise<() => Promise<number>> {
  const { rows } = await pool.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
  );
  const file = `/proc/${rows[0]?.pid}/schedstat`;
  const near = ["127.0.0.1", "localhost"].includes(new URL(url).hostname);
  return async () =>
    near ? Number((await readFile(file, "utf8").catch(() => "NaN")).split(" ")[0]) / 1000 : NaN;
}

function recordAt(people: People, at: number): CallRecord {
  const { tokens, ...call } = inventCall(people);
  const bill = billOf({ tokens });
  return {
    ...call,
    requestId: randomUUIDv7(),
    createdAt: new Date(at),
    type: 2,
    backupGroup: false,
    endpoint: "/v1/chat/completions",
    isStream: false,
    outcome: "complete",
    status: 200,
    errorCode: "",
    content: "",
    usage: undefined,
    quota: BigInt(Math.ceil(Number(bill.exact))),
    estimated: false,
    requestTimeMs: 400 + tokens,
    firstByteTimeMs: 200,
    priceVersionId: 1,
    bill,
    attempts: attemptsOf({ channelId: call.channelId, tokens }),
    billingTag: "",
    cacheHit: false,
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
