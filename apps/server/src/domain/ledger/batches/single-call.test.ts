import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Account, callOf, makeAccount, reservation } from "#domain/ledger/accounts.fixture.ts";
import { type CallRecord, logColumns } from "#domain/ledger/calls/call-record.ts";
import { createLogRowFormat, joinRows, rowOf } from "#domain/ledger/calls/log-rows.ts";
import { type Database, types } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";
import { batchOf, settleInLeases } from "./batch-statement.ts";
import type { Lease, LeaseRequest, LedgerOperation } from "./operations.ts";

/**
 * A call within a lease is charged by a function of its own when it is alone in its batch. Both statements run in
 * one transaction, from the same state, and must leave the same rows.
 */
const logRows = createLogRowFormat();
let database: Database;
let client: pg.Client;
let account: Account;
let lease: LeaseRequest;

beforeAll(async () => {
  database = await openTestDatabase({ max: 2 });
  client = new pg.Client({ connectionString: database.url, types });
  await client.connect();
});
beforeEach(async () => {
  account = await makeAccount(database, { quota: 1_000_000n });
  lease = {
    id: randomUUID(),
    version: 3,
    user_id: account.userId,
    token_id: account.tokenId,
    limited: false,
    keep: null,
    target: null,
    smallest: "1",
  };
  await client.query("BEGIN");
  await client.query(
    `INSERT INTO reservations (request_id, user_id, token_id, amount, token_amount, slots, node_id, version)
     VALUES ($1, $2, $3, 5000, 0, 0, 'node', 3)`,
    [lease.id, account.userId, account.tokenId],
  );
  await client.query("UPDATE users SET leased = 5000 WHERE id = $1", [account.userId]);
});
afterEach(async () => {
  await client.query("ROLLBACK");
});
afterAll(async () => {
  await client.end();
  await database.close();
});

const tables = {
  users: "to_jsonb(x)",
  tokens: "to_jsonb(x)",
  reservations: "to_jsonb(x)",
  channel_charges: "to_jsonb(x) - 'id'",
  request_logs: "to_jsonb(x) - 'id'",
  usage_hours: "to_jsonb(x)",
};

async function state(): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {};
  for (const [table, row] of Object.entries(tables)) {
    const { rows } = await client.query<{ row: unknown }>(`SELECT ${row} AS row FROM ${table} x ORDER BY 1`);
    found[table] = rows.map((each) => each.row);
  }
  return found;
}

/** Runs a statement and takes back what it did. */
async function tried(statement: pg.QueryConfig) {
  await client.query("SAVEPOINT before");
  const { rows } = await client.query<{ ord: number; verdict: string; most: bigint }>(statement);
  const left = await state();
  await client.query("ROLLBACK TO before");
  return { rows: rows.toSorted((one, other) => one.ord - other.ord), left };
}

async function compare(record: CallRecord) {
  // The statement needs only the id.
  const call = {
    ...account,
    amount: 100n,
    lease: { id: lease.id } as Lease,
    isEnding: true,
    inSession: false,
  };
  const step = { kind: "settle", record, call } as unknown as LedgerOperation;
  const single = batchOf([step], [lease], { nodeId: "node", part: 7, logRows });
  expect(single.name).toBe("settle-call-in-lease");
  const row = rowOf(record);
  const values = [
    7,
    [account.userId],
    [account.tokenId],
    joinRows([logRows.format(row)]),
    [0],
    [lease.id],
    [row.cached_tokens],
    JSON.stringify([{ ...lease, ord: 1 }]),
    [lease.id],
  ];
  const one = await tried(single);
  const many = await tried({ text: settleInLeases.text, values });
  expect(one).toEqual(many);
  return one;
}

const recordOf = (quota: bigint, over: Partial<CallRecord> = {}) =>
  callOf(reservation(account, 100n), quota, over);

describe("a call alone in its batch", () => {
  it("leaves the same rows as in a batch, in every column of the log", async () => {
    const record = recordOf(60n, {
      group: "vip",
      backupGroup: true,
      upstreamModel: "other-model",
      isStream: true,
      outcome: "interrupted",
      status: 499,
      errorCode: "client_disconnected",
      content: "Something 😀",
      contentFacts: [{ code: "tool_calls", params: { count: 2 } }] as never,
      estimated: true,
      priceVersionId: 7,
      bill: { lines: [{ kind: "input", count: 10, price: "1" }] } as never,
      billingTag: "team",
      cacheHit: true,
      attempts: [{ channel_id: 1, channel_name: "one", result: "ok", message: "" }] as never,
      session: { id: "s-1", agent: "a", parent: "b" },
      derivedKey: { id: "d-1", label: "worker" },
    });
    const { rows, left } = await compare(record);
    expect(rows).toEqual([
      { ord: 0, verdict: "settled", most: 60n },
      { ord: 1, verdict: "lease", most: 4_940n },
    ]);
    const logs = left["request_logs"] as Record<string, unknown>[];
    const log = logs.find((row) => row["request_id"] === record.requestId);
    const empty = Object.keys(logColumns).filter((name) => (log?.[name] ?? null) === null);
    // Only days that have ended have these.
    expect(empty).toEqual(["bill_facts", "attempt_facts"]);
    expect(left["reservations"]).toMatchObject([
      { amount: 5_000, charged: 60, served: 1, ended: 1, version: 4 },
    ]);
  });

  it.each<[string, Partial<CallRecord>, bigint]>([
    ["free", {}, 0n],
    ["failed", { type: 5, outcome: "failed", status: 502 }, 0n],
    ["without usage", { usage: undefined, estimated: true }, 3n],
    ["without a channel", { channelId: 0 }, 1n],
  ])("leaves the same rows when it is %s", async (_, over, quota) => {
    const { rows } = await compare(recordOf(quota, over));
    expect(rows[0]).toMatchObject({ verdict: "settled", most: quota });
  });

  it("adds up with earlier calls of the same node, lease and hour", async () => {
    await client.query("UPDATE reservations SET charged = 40, served = 2, ended = 3");
    const record = recordOf(60n);
    await client.query(
      `INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", request_count, failed_count,
         quota, prompt_tokens, completion_tokens, cached_tokens, request_time, first_byte_time,
         part)
       VALUES (date_trunc('hour', $1::timestamptz, 'UTC'), $2, $3, 1, 'demo-chat', 'default', 1, 2, 3, 4, 5, 6, 7, 8, 7)`,
      [record.createdAt, account.userId, account.tokenId],
    );
    const { rows, left } = await compare(record);
    expect(left["usage_hours"]).toMatchObject([{ request_count: 2, quota: 63, prompt_tokens: 14, part: 7 }]);
    expect(left["reservations"]).toMatchObject([{ charged: 100, served: 3, ended: 4 }]);
    expect(rows[1]).toMatchObject({ verdict: "lease", most: 4_900n });
  });

  it("writes no row that other nodes write", async () => {
    const before = await state();
    const { left } = await compare(recordOf(60n));
    expect(left["users"]).toEqual(before["users"]);
    expect(left["tokens"]).toEqual(before["tokens"]);
  });

  it.each([
    ["a disabled user", "UPDATE users SET status = 2 WHERE id = $1", "stale"],
    ["a deleted user", "UPDATE users SET deleted_at = now() WHERE id = $1", "stale"],
    ["a budget", `UPDATE users SET budget = '{"weekly_spend": 5}' WHERE id = $1`, "stale"],
    ["a budget without limits", `UPDATE users SET budget = '{"weekly_spend": 0}' WHERE id = $1`, "lease"],
    ["an own budget", "UPDATE users SET own_month_limit = 5, own_month_stops = true WHERE id = $1", "stale"],
    ["an own budget that only warns", "UPDATE users SET own_month_limit = 5 WHERE id = $1", "lease"],
    [
      "a budget of the group",
      `WITH g AS (UPDATE user_groups SET budget = '{"daily_spend": 9}') SELECT $1::int`,
      "stale",
    ],
    ["a disabled key", "UPDATE tokens SET status = 2 WHERE user_id = $1", "stale"],
    ["a key with a quota", "UPDATE tokens SET unlimited_quota = false WHERE user_id = $1", "stale"],
    [
      "a limit per day",
      `UPDATE tokens SET setting = '{"rates":{"daily_spend":5}}' WHERE user_id = $1`,
      "stale",
    ],
    [
      "a limit at once",
      `UPDATE tokens SET setting = '{"rates":{"concurrency":1}}' WHERE user_id = $1`,
      "stale",
    ],
    ["an operator's limit", `UPDATE tokens SET budget = '{"monthly_spend":5}' WHERE user_id = $1`, "stale"],
  ])("reports whether the key is still eligible for a lease: %s", async (_, change, verdict) => {
    await client.query(
      `INSERT INTO user_groups (symbol, name) SELECT 'default', 'default'
       WHERE NOT EXISTS (SELECT FROM user_groups WHERE symbol = 'default')`,
    );
    await client.query(change, [account.userId]);
    const { rows } = await compare(recordOf(60n));
    expect(rows.map((row) => row.verdict)).toEqual(["settled", verdict]);
  });

  it.each([
    ["another version", "UPDATE reservations SET version = 4"],
    ["no row", "DELETE FROM reservations"],
  ])("changes nothing when its lease has %s", async (_, change) => {
    await client.query(change);
    const before = await state();
    const { rows, left } = await compare(recordOf(60n));
    expect(rows).toEqual([]);
    expect(left).toEqual(before);
  });
});
