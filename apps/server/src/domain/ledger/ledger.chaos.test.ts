import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect, type Database } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";
import { callOf, makeAccount, reservation } from "./accounts.fixture.ts";
import { audit } from "./balances/audit.ts";
import type { ReserveInput } from "./batches/operations.ts";
import type { CallRecord } from "./calls/call-record.ts";
import { createLedger } from "./ledger.ts";

let database: Database;

beforeAll(async () => {
  database = await openTestDatabase({ max: 4 });
});

afterAll(async () => {
  await database.close();
});

/** Repeatedly terminates all active connections of the application, as soon as a call has ended in between. */
async function cutConnections(
  applicationName: string,
  { enough, ended }: { enough: number; ended: () => number },
): Promise<void> {
  const knife = new pg.Client({ connectionString: database.url });
  await knife.connect();
  let cuts = 0;
  while (cuts < enough) {
    const { rows } = await knife.query<{ cut: number }>(
      `SELECT count(pg_terminate_backend(pid))::int AS cut FROM pg_stat_activity
       WHERE application_name = $1 AND state = 'active'`,
      [applicationName],
    );
    cuts += rows[0]?.cut ?? 0;
    const before = ended();
    do await sleep(15);
    while (ended() === before);
  }
  await knife.end();
}

/** Stores a quote for the call. */
async function quote({ requestId, userId, tokenId, amount }: ReserveInput): Promise<void> {
  const size = {
    input: 1n,
    output: 1n,
    request_hash: Buffer.alloc(0),
    model: "demo-chat",
    expires_at: new Date(),
  };
  const row = { id: requestId, user_id: userId, token_id: tokenId, amount, request_id: requestId };
  await database.db.quote.create({ data: { ...row, ...size } });
}

/** A call that costs three points more than its quote. */
function quotedCall(reserved: ReserveInput): CallRecord {
  const amount = String(reserved.amount);
  const bill = { price_type: "tokens", group_ratio: "1", lines: [], exact: "13", uncollected: "3" };
  return callOf(reserved, reserved.amount, { bill: { ...bill, quote: { id: reserved.requestId, amount } } });
}

describe("lost connection", () => {
  it("in the middle of a statement neither loses nor duplicates a call", async () => {
    const account = await makeAccount(database, { quota: 1_000_000n, tokenQuota: 1_000_000n });
    const cut = connect(database.url, { max: 6, applicationName: "to-be-cut" });
    const nodes = [1, 2].map(() =>
      createLedger({
        database: cut,
        nodeId: randomUUID(),
        onError: () => {},
        beatMs: 1_000,
        retryForMs: 60_000,
      }),
    );
    // Registered nodes use leases, so most calls have no reservation of their own.
    await Promise.all(nodes.map((node) => node.start()));
    let charged = 0n;
    let noted = 0;
    let ended = 0;
    const state = { isCutting: true };
    const cutting = cutConnections("to-be-cut", { enough: 40, ended: () => ended }).finally(
      () => (state.isCutting = false),
    );
    // The cuts stop before the last calls, because on a slow machine a statement may take longer than
    // the interval of the cuts.
    const clients = Array.from({ length: 40 }, async (_, index) => {
      const node = nodes[index % nodes.length]!;
      for (let call = 0; state.isCutting; call += 1) {
        const reserved = reservation(account, 10n, 10n);
        const isQuoted = call % 4 === 3;
        if (isQuoted) await quote(reserved);
        await node.reserve({ ...reserved, own: isQuoted });
        const record = isQuoted ? quotedCall(reserved) : callOf(reserved, 1n);
        if (call % 3 === 0) await node.checkpoint([{ ...record, outcome: "interrupted" }]);
        const cost = isQuoted ? record.quota : BigInt(call % 4);
        expect(await node.settle({ ...record, quota: cost })).toBe("settled");
        charged += cost;
        ended += 1;
        if (call % 5 === 0) {
          await node.logRefused(callOf(reservation(account, 0n), 0n, { type: 5, outcome: "failed" }));
          noted += 1;
        }
      }
    });
    await Promise.all(clients);
    await cutting;

    await Promise.all(nodes.map((node) => node.close()));
    const user = await database.db.user.findUniqueOrThrow({ where: { id: account.userId } });
    expect(user).toMatchObject({ quota: 1_000_000n - charged, reserved: 0n, used_quota: charged });
    const { rows } = await database.pool.query<{ logged: bigint; twice: bigint; failed: bigint }>(
      `SELECT sum(quota) FILTER (WHERE type = 2)::bigint AS logged, count(*) - count(DISTINCT request_id) AS twice,
         count(*) FILTER (WHERE type = 5) AS failed
       FROM request_logs WHERE user_id = $1 AND request_id NOT LIKE 'gift-%'`,
      [account.userId],
    );
    expect(rows).toEqual([{ logged: charged, twice: 0n, failed: BigInt(noted) }]);
    expect(await audit(database.pool)).toMatchObject({ drift: 0n, rows: [] });
    const { rows: quotes } = await database.pool.query<{ wrong: bigint; used: bigint }>(
      `SELECT count(*) AS used, count(*) FILTER (WHERE charged IS DISTINCT FROM 10 OR excess IS DISTINCT FROM 3) AS wrong
       FROM quotes WHERE user_id = $1`,
      [account.userId],
    );
    expect(quotes[0]?.used).toBeGreaterThan(0n);
    expect(quotes[0]?.wrong).toBe(0n);
    await cut.close();
  });

  it("returns unavailable after the retry time when the database stays away", async () => {
    const gone = connect("postgres://nobody@127.0.0.1:1/none");
    const node = createLedger({ database: gone, nodeId: randomUUID(), onError: () => {}, retryForMs: 200 });
    const started = performance.now();
    await expect(node.reserve(reservation({ userId: 1, tokenId: 1 }, 1n))).rejects.toMatchObject({
      code: "unavailable",
      status: 503,
    });
    expect(performance.now() - started).toBeGreaterThan(150);
    await gone.close();
  });
});
