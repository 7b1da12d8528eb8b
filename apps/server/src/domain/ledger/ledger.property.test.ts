import { randomUUID } from "node:crypto";
import { TokenSetting } from "@gateway/shared/accounts/token";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GatewayError } from "#errors.ts";
import type { Database } from "#platform/database/db.ts";
import { Prisma } from "#platform/prisma/client.ts";
import { keepQuote } from "#relay/core/billing/compute-charge.ts";
import { openTestDatabase } from "#test/database.ts";
import { runs, runsFactor } from "#test/property-runs.ts";
import { type Account, callOf, makeAccount, reservation } from "./accounts.fixture.ts";
import { audit } from "./balances/audit.ts";
import { credit } from "./balances/credit.ts";
import type { ReserveInput } from "./batches/operations.ts";
import { readRow } from "./calls/log-rows.ts";
import { releaseStatement } from "./calls/node-heartbeat.ts";
import { createLedger, type Ledger } from "./ledger.ts";

let database: Database;
let nodes: Ledger[];
/** Nodes that died and do not know it. */
const zombies: Ledger[] = [];
const nodeIds = [1, 2, 3].map(() => randomUUID());

function openNode(nodeId: string): Ledger {
  return createLedger({
    database,
    nodeId,
    callsBeforeLease: 2,
    askForLeases: async (userId) => {
      await Promise.all(nodes.map((each) => each.recall({ userId })));
    },
    onError: (error) => expect.unreachable(String(error)),
  });
}

beforeAll(async () => {
  database = await openTestDatabase({ max: 12 });
  nodes = nodeIds.map(openNode);
  await Promise.all(nodes.map((node) => node.start()));
});

afterAll(async () => {
  await Promise.all([...nodes, ...zombies].map((node) => node.close()));
  await database.close();
});

type Step =
  | { do: "reserve"; node: number; user: number; amount: number; quoted: boolean }
  | { do: "settle"; node: number; call: number; part: number; times: number; elsewhere: boolean }
  | { do: "release"; node: number; call: number }
  | { do: "credit"; user: number; amount: number; reference: number }
  | { do: "checkpoint"; call: number; part: number }
  | { do: "recall"; node: number; user: number }
  | { do: "die"; node: number; restarts: boolean };

const node = fc.nat(2);
const user = fc.nat(4);
const call = fc.nat(30);
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("reserve"),
      node,
      user,
      amount: fc.nat(120),
      quoted: fc.boolean(),
    }),
  },
  {
    weight: 4,
    // Cost of a call in percent of its estimate; above 100 the provider used more.
    arbitrary: fc.record({
      do: fc.constant("settle"),
      node,
      call,
      part: fc.oneof(
        fc.nat(100),
        fc.integer({ min: 101, max: 150 }),
        fc.integer({ min: 151, max: 1_000_000 }),
      ),
      times: fc.integer({ min: 1, max: 3 }),
      elsewhere: fc.nat(3).map((one) => one === 0),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("release"), node, call }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("credit"),
      user,
      amount: fc.integer({ min: -80, max: 80 }).filter((amount) => amount !== 0),
      reference: fc.nat(3),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("checkpoint"), call, part: fc.integer({ min: 0, max: 130 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("recall"), node, user }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("die"), node, restarts: fc.boolean() }) },
);

/** Operations of one run, to compare with the database. */
interface Run {
  accounts: Account[];
  calls: { reserved: ReserveInput; user: number; reservedBy: number }[];
  settled: { requestId: string; owed: bigint; reserved: bigint }[];
  /** Calls whose node died after a checkpoint, with the possible charges of their checkpoints. */
  interrupted: Map<string, Set<bigint>>;
  name: string;
  /** Number of leases seen between the waves. */
  leased: number;
  /** Request IDs of calls with a quote, whose amount is reserved. */
  quoted: Set<string>;
}

const answers = new Set([
  "insufficient_quota",
  "token_quota_exhausted",
  "spend_limit_reached",
  "rate_limit_exceeded",
  "invalid_request",
  "conflict",
]);

/** Accepts only errors that are valid refusals. */
function refusal(error: unknown): undefined {
  if (error instanceof GatewayError && answers.has(error.code)) return;
  throw error;
}

async function quote(run: Run, { requestId, userId, tokenId, amount }: ReserveInput): Promise<void> {
  run.quoted.add(requestId);
  const size = {
    input: 1n,
    output: 1n,
    request_hash: Buffer.alloc(0),
    model: "demo-chat",
    expires_at: new Date(),
  };
  const row = { id: randomUUID(), user_id: userId, token_id: tokenId, amount, request_id: requestId };
  await database.db.quote.create({ data: { ...row, ...size } });
}

/** Returns the log row of a call. What one with a quote cost above it is the operator's. */
function recordOf(
  run: Run,
  reserved: ReserveInput,
  cost: bigint,
  over: Parameters<typeof callOf>[2],
): ReturnType<typeof callOf> {
  if (!run.quoted.has(reserved.requestId)) return callOf(reserved, cost, over);
  const computed = {
    points: cost,
    bill: { price_type: "tokens", group_ratio: "1", lines: [], exact: String(cost) },
  };
  const { points, bill } = keepQuote({ id: "q", amount: reserved.amount }, computed);
  return callOf(reserved, points, { ...over, bill });
}

async function take(run: Run, step: Step): Promise<void> {
  switch (step.do) {
    case "reserve": {
      const amount = BigInt(step.amount);
      const reserved = reservation(
        run.accounts[step.user]!,
        amount,
        [0, 4].includes(step.user) ? amount : 0n,
      );
      if (step.quoted) await quote(run, reserved);
      const wanted = { ...reserved, own: step.quoted };
      const granted = await nodes[step.node]!.reserve(wanted).then(() => true, refusal);
      if (granted) run.calls.push({ reserved, user: step.user, reservedBy: step.node });
      return;
    }
    case "settle":
    case "release": {
      const found = run.calls[step.call % Math.max(1, run.calls.length)];
      if (found === undefined) return;
      const quota = step.do === "release" ? 0n : (found.reserved.amount * BigInt(step.part)) / 100n;
      const record = recordOf(run, found.reserved, quota, quota === 0n ? { type: 5, outcome: "failed" } : {});
      const times = step.do === "release" ? 1 : step.times;
      // Any node may settle a reservation with a row; only its own node knows a share of a lease.
      const by = step.do === "settle" && !step.elsewhere ? found.reservedBy : step.node;
      const answers = await Promise.all(Array.from({ length: times }, () => nodes[by]!.settle(record)));
      const settled = answers.filter((answer) => answer === "settled").length;
      expect(settled).toBeLessThanOrEqual(1);
      if (settled === 1)
        run.settled.push({
          requestId: found.reserved.requestId,
          owed: quota,
          reserved: found.reserved.amount,
        });
      return;
    }
    case "credit":
      await credit(database.db, {
        userId: run.accounts[step.user]!.userId,
        kind: "admin",
        amount: BigInt(step.amount),
        reference: `${run.name}-${step.reference}`,
        reason: "",
      }).catch(refusal);
      return;
    case "checkpoint": {
      const found = run.calls[step.call % Math.max(1, run.calls.length)];
      if (found === undefined) return;
      const quota = (found.reserved.amount * BigInt(step.part)) / 100n;
      const record = recordOf(run, found.reserved, quota, { outcome: "interrupted", status: 503 });
      const output = run.interrupted.get(found.reserved.requestId) ?? new Set();
      run.interrupted.set(found.reserved.requestId, output.add(quota));
      await nodes[found.reservedBy]!.checkpoint([record]);
      return;
    }
    case "recall":
      await nodes[step.node]!.recall({ userId: run.accounts[step.user]!.userId });
      return;
    case "die": {
      // Simulates how other nodes release a silent node, which continues without noticing.
      const leases = await database.db.reservation.findMany({
        where: { node_id: nodeIds[step.node]!, version: { gt: 0 } },
      });
      const lost = [
        ...run.calls.filter((made) => made.reservedBy === step.node).map((made) => made.reserved),
        ...leases.map((row) => ({ requestId: row.request_id, userId: row.user_id, tokenId: row.token_id })),
      ];
      const marked = await database.db.reservation.findMany({
        where: {
          request_id: { in: lost.map((reservedCall) => reservedCall.requestId) },
          checkpoint: { not: Prisma.DbNull },
        },
      });
      const by = nodes[(step.node + 1) % nodes.length]!;
      await Promise.all(marked.map((row) => by.settle(readRow(row.checkpoint)!)));
      await database.pool.query({
        ...releaseStatement,
        values: [
          lost.map((reservedCall) => reservedCall.requestId),
          lost.map((reservedCall) => reservedCall.userId),
          lost.map((reservedCall) => reservedCall.tokenId),
        ],
      });
      if (step.restarts) await restart(step.node);
    }
  }
}

/** Replaces a node by a new one, which knows nothing of the leases and calls of the old one. */
async function restart(index: number): Promise<void> {
  const nodeId = randomUUID();
  const fresh = openNode(nodeId);
  await fresh.start();
  zombies.push(nodes[index]!);
  nodes[index] = fresh;
  nodeIds[index] = nodeId;
}

/**
 * Checks at every moment of a wave, in one snapshot, that no account has leased, reserved and spent more than it
 * was credited, and no key more than its quota and what calls cost above their reservations.
 */
async function watched(run: Run, wave: Promise<unknown>): Promise<void> {
  const state = { isOver: false };
  const ended = wave.finally(() => {
    state.isOver = true;
  });
  const ids = run.accounts.map(({ userId }) => userId);
  const reserved = JSON.stringify(
    run.calls.map((made) => ({ id: made.reserved.requestId, points: String(made.reserved.amount) })),
  );
  const look = async () => {
    while (!state.isOver) {
      const { rows } = await database.pool.query(
        `WITH above AS (
           SELECT l.token_id, sum(GREATEST(0, l.quota - c.points)) AS points FROM request_logs l
           JOIN jsonb_to_recordset($2::jsonb) AS c(id text, points bigint) ON c.id = l.request_id GROUP BY l.token_id
         )
         SELECT u.id FROM users u JOIN tokens t ON t.user_id = u.id LEFT JOIN above a ON a.token_id = t.id
         WHERE u.id = ANY($1) AND (u.quota - u.reserved - u.leased < 0
           OR NOT t.unlimited_quota AND t.remain_quota - t.reserved - t.leased < -COALESCE(a.points, 0))
         UNION SELECT u.id FROM users u WHERE u.id = ANY($1) AND u.leased + u.reserved + u.used_quota >
           (SELECT COALESCE(sum(amount) FILTER (WHERE amount > 0), 0) FROM ledger_entries e WHERE e.user_id = u.id)`,
        [ids, reserved],
      );
      expect(rows).toEqual([]);
    }
  };
  await Promise.all([ended, look()]);
}

/** Checks that each call paid what it owed, or at least its reservation, and that its row states the rest. */
async function checkCharges({ settled, calls, interrupted }: Run): Promise<void> {
  const { rows: logged } = await database.pool.query<{
    request_id: string;
    owed: bigint;
    outcome: string;
  }>(
    `SELECT request_id, quota + COALESCE((bill ->> 'uncollected')::bigint, 0) AS owed, outcome
     FROM request_logs WHERE request_id = ANY($1)`,
    [calls.map(({ reserved }) => reserved.requestId)],
  );
  // Each call has at most one row, whichever node settled it.
  expect(new Set(logged.map((row) => row.request_id)).size).toBe(logged.length);
  for (const { request_id, owed, outcome } of logged) {
    if (outcome !== "interrupted") continue;
    expect(interrupted.get(request_id)).toContain(owed);
    expect(settled.some(({ requestId }) => requestId === request_id)).toBe(false);
  }
  const { rows } = await database.pool.query<{ request_id: string; quota: bigint; missing: string | null }>(
    "SELECT request_id, quota, bill ->> 'uncollected' AS missing FROM request_logs WHERE request_id = ANY($1)",
    [settled.map(({ requestId }) => requestId)],
  );
  const charged = new Map(rows.map((row) => [row.request_id, row]));
  for (const { requestId, owed, reserved: reservedCall } of settled) {
    const { quota, missing } = charged.get(requestId)!;
    expect(quota + BigInt(missing ?? "0")).toBe(owed);
    expect(quota).toBeGreaterThanOrEqual(owed < reservedCall ? owed : reservedCall);
    expect(missing).not.toBe("0");
  }
}

/** Checks that the rows of quotes have what was charged, which is never above them. */
async function checkQuotes({ quoted }: Run): Promise<void> {
  const { rows } = await database.pool.query(
    `SELECT q.request_id FROM request_logs l JOIN quotes q ON q.request_id = l.request_id
     WHERE l.request_id = ANY($1) AND (l.quota > q.amount OR q.charged IS DISTINCT FROM l.quota
       OR q.excess IS DISTINCT FROM COALESCE((l.bill ->> 'uncollected')::bigint, 0))`,
    [[...quoted]],
  );
  expect(rows).toEqual([]);
}

/** Points that the calls of each account have cost above their reservations. The limits of keys allow these. */
async function chargedAbove({ accounts, calls }: Run): Promise<bigint[]> {
  const { rows } = await database.pool.query<{ request_id: string; quota: bigint }>(
    "SELECT request_id, quota FROM request_logs WHERE request_id = ANY($1)",
    [calls.map(({ reserved }) => reserved.requestId)],
  );
  const charges = new Map(rows.map((row) => [row.request_id, row.quota]));
  const above = accounts.map(() => 0n);
  for (const { reserved, user: at } of calls) {
    const excess = (charges.get(reserved.requestId) ?? 0n) - reserved.amount;
    if (excess > 0n) above[at]! += excess;
  }
  return above;
}

async function check(run: Run): Promise<void> {
  expect(await audit(database.pool)).toMatchObject({ drift: 0n, rows: [] });
  await checkCharges(run);
  await checkQuotes(run);
  run.leased += await database.db.reservation.count({ where: { version: { gt: 0 } } });
  const above = await chargedAbove(run);
  for (const [at, account] of run.accounts.entries()) {
    const { quota, reserved, leased } = await database.db.user.findUniqueOrThrow({
      where: { id: account.userId },
    });
    // Also when calls cost more than their estimates.
    expect(quota - reserved - leased).toBeGreaterThanOrEqual(0n);
    const token = await database.db.token.findUniqueOrThrow({ where: { id: account.tokenId } });
    if (!token.unlimited_quota)
      expect(token.remain_quota - token.reserved - token.leased).toBeGreaterThanOrEqual(-above[at]!);
    const { daily_spend, concurrency } = TokenSetting.parse(token.setting).rates;
    if (daily_spend > 0) {
      expect(token.day_quota + token.reserved).toBeLessThanOrEqual(BigInt(daily_spend) + above[at]!);
    }
    if (concurrency > 0) expect(token.open_calls).toBeLessThanOrEqual(concurrency);
  }
}

async function newRun(): Promise<Run> {
  return {
    accounts: [
      await makeAccount(database, { quota: 300n, tokenQuota: 250n }),
      await makeAccount(database, { quota: 200n }),
      await makeAccount(database, { quota: 2_000n, rates: { daily_spend: 300, concurrency: 4 } }),
      // Enough for leases, but not for all requested calls.
      await makeAccount(database, { quota: 3_000n }),
      await makeAccount(database, { quota: 20_000n, tokenQuota: 3_000n }),
    ],
    calls: [],
    settled: [],
    interrupted: new Map(),
    name: randomUUID(),
    leased: 0,
    quoted: new Set(),
  };
}

describe("ledger", () => {
  it(
    "balances after any interleaving of reserve, checkpoint, settle, release, credit, recall, crash and restart",
    { timeout: 240_000 * runsFactor },
    async () => {
      let leased = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(fc.array(steps, { maxLength: 24 }), { maxLength: 6 }), async (waves) => {
          const run = await newRun();
          for (const wave of waves) {
            await watched(run, Promise.all(wave.map((step) => take(run, step))));
            await check(run);
          }
          // At the end nothing is reserved.
          leased += run.leased;
          // One after the other: a release skips rows that another one has locked.
          for (const dead of [0, 1, 2]) await take(run, { do: "die", node: dead, restarts: false });
          await check(run);
          for (const account of run.accounts) {
            const { reserved, leased } = await database.db.user.findUniqueOrThrow({
              where: { id: account.userId },
            });
            expect([reserved, leased]).toEqual([0n, 0n]);
          }
        }),
        { numRuns: runs(8) },
      );
      // Otherwise the test covered reservations only.
      expect(leased).toBeGreaterThan(0);
    },
  );
});
