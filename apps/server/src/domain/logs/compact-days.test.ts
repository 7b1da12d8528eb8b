import { LogQuery } from "@gateway/shared/usage/log";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { explainCall } from "#domain/pricing/explain.ts";
import { computeBill } from "#domain/pricing/pricing.ts";
import { replay } from "#domain/pricing/replay.ts";
import type { Database } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";
import { describeCacheEffect } from "./cache-effect.ts";
import { compactDays } from "./compact-days.ts";
import { ensurePartitions } from "./partitions.ts";
import { searchLogs } from "./search.ts";

const dayMs = 86_400_000;
const midnight = Math.floor(Date.now() / dayMs) * dayMs;
const dayName = (ago: number) =>
  `request_logs_${new Date(midnight - ago * dayMs).toISOString().slice(0, 10).replaceAll("-", "")}`;
/** An instant of the day so many days ago. */
const at = (ago: number, seconds: number) => new Date(midnight - ago * dayMs + seconds * 1_000);
const user = 7;

let database: Database;

beforeAll(async () => {
  database = await openTestDatabase({ max: 4 });
  await ensurePartitions(database.pool, 1, { daysBehind: 6 });
});
afterAll(async () => {
  await database.close();
});

const attempt = {
  channel_id: 3,
  channel_name: "A channel",
  result: "ok",
  status: 200,
  duration: 812,
  message: "",
  begun: 4,
  priority: -1,
  upstream_request_id: "req_1",
};
const bill = {
  price_type: "tokens",
  group_ratio: "0.5",
  lines: [
    { kind: "input", amount: 100, ratio: "1.25" },
    { kind: "cached_tokens", amount: 40, ratio: "0.125" },
  ],
  exact: "65",
};

async function write(requestId: string, time: Date, values: Record<string, unknown> = {}): Promise<void> {
  const row = {
    created_at: time,
    request_id: requestId,
    type: 2,
    user_id: user,
    channel_id: 3,
    model_name: "m",
    prompt_tokens: 140,
    quota: 65,
    bill,
    attempts: JSON.stringify([attempt]),
    ...values,
  };
  const names = Object.keys(row);
  await database.pool.query(
    `INSERT INTO request_logs (${names.join(", ")}) VALUES (${names.map((_, n) => `$${n + 1}`).join(", ")})`,
    Object.values(row),
  );
}

/** Everything that reads bills and attempts of a day. */
async function readDay(ago: number) {
  const query = LogQuery.parse({
    size: 100,
    start_timestamp: at(ago, 0).getTime() / 1_000,
    end_timestamp: at(ago - 1, 0).getTime() / 1_000 - 1,
  });
  const { data } = await searchLogs(database.pool, { of: "everybody" }, query);
  const bills = data.filter((row) => row.bill !== null);
  return {
    data,
    bills: await Promise.all(bills.map((row) => explainCall(database.pool, row.request_id))),
    replayed: await replay(database.pool, at(ago, 0), at(ago - 1, 0)),
    cache: await describeCacheEffect(database.pool, { userId: user }),
  };
}

async function requestsWith(column: "bill_facts" | "attempt_facts", ago: number): Promise<string[]> {
  const { rows } = await database.pool.query<{ request_id: string }>(
    `SELECT request_id FROM ${dayName(ago)} WHERE ${column} IS NOT NULL ORDER BY created_at`,
  );
  return rows.map((row) => row.request_id);
}

it("shows, explains and sums every call of a rewritten day as before", async () => {
  const rows: [string, Record<string, unknown>][] = [
    ["usual", {}],
    [
      "per-call",
      {
        bill: {
          price_type: "times",
          group_ratio: "1",
          lines: [{ kind: "calls", amount: 2, ratio: "500" }],
          exact: "1000",
        },
        quota: 1000,
      },
    ],
    [
      "tool",
      {
        bill: {
          ...bill,
          lines: [...bill.lines, { kind: "tool:web-search", amount: 1, ratio: "5000" }],
          exact: "2565",
        },
        quota: 2565,
      },
    ],
    ["free", { bill: { ...bill, lines: [], exact: "0" }, quota: 0 }],
    ["short-of-money", { bill: { ...bill, uncollected: "60" }, quota: 5 }],
    ["tier", { bill: { ...bill, service_tier: { name: "flex", ratio: "0.5" } } }],
    ["implausible", { bill: { ...bill, implausible: { output: 9 } } }],
    ["wrong-sum", { bill: { ...bill, exact: "66" } }],
    ["odd-kind", { bill: { ...bill, lines: [{ kind: "two words", amount: 52, ratio: "2.5" }] } }],
    ["newer-bill", { bill: { ...bill, discount: "0.1" } }],
    ["no-bill", { bill: null, type: 5, quota: 0, attempts: null }],
    ["no-attempts", { attempts: "[]" }],
    ["retried", { attempts: JSON.stringify([{ ...attempt, result: "timeout", channel_id: 4 }, attempt]) }],
    [
      "paused",
      {
        attempts: JSON.stringify([
          attempt,
          {
            channel_id: 9,
            channel_name: "x",
            reason: "circuit",
            paused_until: 5,
            provider_asked: false,
            own_calls_only: false,
          },
        ]),
      },
    ],
    ["failed", { attempts: JSON.stringify([{ ...attempt, result: "timeout" }]) }],
    [
      "bare-attempt",
      {
        attempts: JSON.stringify([
          {
            ...attempt,
            begun: undefined,
            priority: undefined,
            upstream_request_id: undefined,
            channel_name: "",
          },
        ]),
      },
    ],
    ["odd-id", { attempts: JSON.stringify([{ ...attempt, upstream_request_id: "a b" }]) }],
    ["other-status", { attempts: JSON.stringify([{ ...attempt, status: 201 }]) }],
  ];
  for (const [index, [id, values]] of rows.entries()) await write(id, at(3, index * 3_600), values);
  const before = await readDay(3);
  expect(before.data).toHaveLength(rows.length);
  expect(before.replayed.differences.map(({ requestId }) => requestId)).toEqual(["wrong-sum"]);

  expect(await compactDays(database.pool)).toContain(dayName(3));

  expect(await readDay(3)).toEqual(before);
  const long = ["short-of-money", "tier", "implausible", "wrong-sum", "odd-kind", "newer-bill", "no-bill"];
  expect(await requestsWith("bill_facts", 3)).toEqual(
    rows.map(([id]) => id).filter((id) => !long.includes(id)),
  );
  expect(await requestsWith("attempt_facts", 3)).not.toContain("odd-id");
  const ofAttempts = ["no-bill", "no-attempts", "retried", "paused", "failed", "odd-id", "other-status"];
  expect(await requestsWith("attempt_facts", 3)).toEqual(
    rows.map(([id]) => id).filter((id) => !ofAttempts.includes(id)),
  );
});

it("keeps any computed bill to the last digit", async () => {
  const decimal = fc
    .tuple(fc.nat(1_000), fc.nat(9_999_999_999))
    .map(([whole, fraction]) => `${whole}.${String(fraction).padStart(10, "0")}`);
  const usage = fc.record({
    input: fc.nat(1e6),
    output: fc.nat(1e6),
    cacheRead: fc.nat(1e6),
    reasoning: fc.nat(1e6),
  });
  const samples = fc.sample(fc.tuple(decimal, decimal, decimal, usage), 100);
  for (const [index, [input, output, group, used]] of samples.entries()) {
    const price = { versionId: 1, model: "m", type: "tokens" as const, input, output, extras: {}, tiers: [] };
    const computed = computeBill(price, group, used);
    await write(`any-${index}`, at(4, index), { bill: computed.bill, quota: computed.points });
  }
  const before = await readDay(4);
  await database.pool.query(`COMMENT ON TABLE ${dayName(4)} IS NULL`);
  expect(await compactDays(database.pool)).toEqual([dayName(4)]);
  expect(await requestsWith("bill_facts", 4)).toHaveLength(100);
  expect(await readDay(4)).toEqual(before);
  expect(before.replayed).toEqual({ checked: 100, differences: [] });
});

it("leaves the days that calls may still be added to, and takes those that are added later", async () => {
  await write("yesterday", at(1, 60));
  await write("today", at(0, 1));
  expect(await compactDays(database.pool)).toEqual([]);
  await write("late", at(3, 70));
  const { data } = await readDay(3);
  expect(data.map((row) => row.request_id)).toContain("late");
  expect(data.find((row) => row.request_id === "late")).toMatchObject({ bill: { exact: "65" } });
});

it("has the indexes of the log", async () => {
  const { rows } = await database.pool.query(
    `SELECT i.indrelid::regclass::text AS name, count(*)::int AS indexes, bool_and(h.inhparent IS NOT NULL) AS attached
     FROM pg_index i LEFT JOIN pg_inherits h ON h.inhrelid = i.indexrelid
     WHERE i.indrelid = ANY($1::regclass[]) GROUP BY 1 ORDER BY 1`,
    [[dayName(3), dayName(0)]],
  );
  expect(rows[0]).toEqual({ ...rows[1], name: dayName(3) });
  expect(rows[0]).toMatchObject({ attached: true });
});

it("keeps a call that is logged during the copy, and waits for its writer", async () => {
  await write("before", at(5, 10));
  await database.pool.query(`COMMENT ON TABLE ${dayName(5)} IS NULL`);
  const writer = await database.pool.connect();
  await writer.query("BEGIN");
  await writer.query(
    "INSERT INTO request_logs (created_at, request_id, type, user_id) VALUES ($1, 'meanwhile', 2, 1)",
    [at(5, 20)],
  );
  const compacting = compactDays(database.pool);
  const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'LOCK TABLE%'`;
  await expect.poll(async () => (await database.pool.query(waiting)).rowCount).toBe(1);
  await writer.query("COMMIT");
  writer.release();
  expect(await compacting).toEqual([dayName(5)]);
  const { data } = await readDay(5);
  expect(data.map((row) => row.request_id)).toEqual(["meanwhile", "before"]);
});

it("is left as it was when the work is stopped, and is rewritten in the next run", async () => {
  await write("stopped", at(6, 10));
  await database.pool.query(`COMMENT ON TABLE ${dayName(6)} IS NULL`);
  expect(await compactDays(database.pool, { stopping: AbortSignal.abort() })).toEqual([]);
  const { rows } = await database.pool.query("SELECT to_regclass('request_logs_compact') AS copy");
  expect(rows).toEqual([{ copy: null }]);
  expect(await requestsWith("bill_facts", 6)).toEqual([]);
  expect(await compactDays(database.pool)).toEqual([dayName(6)]);
  expect(await requestsWith("bill_facts", 6)).toEqual(["stopped"]);
});

it("is rewritten by one node at a time", async () => {
  await database.pool.query(`COMMENT ON TABLE ${dayName(6)} IS NULL`);
  const runs = await Promise.all([compactDays(database.pool), compactDays(database.pool)]);
  expect(runs.flat()).toEqual([dayName(6)]);
});
