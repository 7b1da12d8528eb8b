import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Account, callOf, makeAccount, reservation } from "#domain/ledger/accounts.fixture.ts";
import { audit } from "#domain/ledger/balances/audit.ts";
import type { ReserveInput } from "#domain/ledger/batches/operations.ts";
import { createLedger, type Ledger, type LedgerOptions } from "#domain/ledger/ledger.ts";
import { GatewayError } from "#errors.ts";
import type { Database } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";

/** Budgets of agent sessions, on three nodes. */
let database: Database;
let nodes: Ledger[];

function makeNode(options: Partial<LedgerOptions> = {}): Ledger {
  return createLedger({
    database,
    nodeId: randomUUID(),
    callsBeforeLease: 2,
    onError: (error) => expect.unreachable(String(error)),
    ...options,
  });
}

beforeAll(async () => {
  database = await openTestDatabase({ max: 8 });
  nodes = [1, 2, 3].map(() => makeNode());
  await Promise.all(nodes.map((node) => node.start()));
});

afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()));
  await database.close();
});

const stateOf = (id: number) => database.db.sessionBudget.findUniqueOrThrow({ where: { id } });

async function open(node: Ledger, account: Account, session: string) {
  const state = await node.openSession(account.userId, session);
  return state ?? expect.unreachable("The account has a balance.");
}

async function share(account: Account, limit: bigint, session: string = randomUUID()) {
  const { id } = await open(nodes[0]!, account, session);
  return { id, limit };
}

async function reserve(
  node: Ledger,
  account: Account,
  amount: bigint,
  session: { id: number; limit: bigint },
): Promise<ReserveInput | GatewayError> {
  const input = { ...reservation(account, amount), session };
  try {
    await node.reserve(input);
    return input;
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}

const isGranted = (result: ReserveInput | GatewayError): result is ReserveInput =>
  !(result instanceof GatewayError);

describe("the budget of a session", () => {
  it("is one row for all nodes that begin a session at the same time", async () => {
    const account = await makeAccount(database, { quota: 100n });
    const opened = await Promise.all(
      Array.from({ length: 30 }, (_, n) => open(nodes[n % 3]!, account, "one")),
    );
    expect(new Set(opened.map(({ id }) => id)).size).toBe(1);
    const other = await makeAccount(database, { quota: 100n });
    expect((await open(nodes[0]!, other, "one")).id).not.toBe(opened[0]?.id);
  });

  it("is not stored for an account without a balance", async () => {
    const account = await makeAccount(database, { quota: 0n });
    expect(await nodes[0]!.openSession(account.userId, "one")).toBeUndefined();
    expect(await database.db.sessionBudget.count({ where: { user_id: account.userId } })).toBe(0);
  });

  it("is shared by the keys of an account, and free again when calls cost less", async () => {
    const account = await makeAccount(database, { quota: 1_000_000n });
    const session = await share(account, 100n);
    const calls = await Promise.all(
      Array.from({ length: 10 }, (_, n) => reserve(nodes[n % 3]!, account, 10n, session)),
    );
    expect(calls.every(isGranted)).toBe(true);
    expect(await stateOf(session.id)).toMatchObject({ reserved: 100n, spent: 0n });
    await Promise.all(calls.filter(isGranted).map((call, n) => nodes[n % 3]!.settle(callOf(call, 4n))));
    expect(await stateOf(session.id)).toMatchObject({ reserved: 0n, spent: 40n });
    const refused = await reserve(nodes[1]!, account, 61n, session);
    expect(refused).toMatchObject({
      code: "session_budget_exhausted",
      status: 402,
      message: expect.stringContaining("$0.000200"),
    });
    expect(isGranted(await reserve(nodes[1]!, account, 0n, session))).toBe(true);
    // Calls of other sessions and without one are not affected.
    expect(isGranted(await reserve(nodes[1]!, account, 61n, await share(account, 100n)))).toBe(true);
    await nodes[2]!.reserve(reservation(account, 500n));
  });

  it("waits for other calls of the session, then asks the client to try again", async () => {
    const account = await makeAccount(database, { quota: 1_000_000n });
    const session = await share(account, 100n);
    const first = await reserve(nodes[0]!, account, 90n, session);
    if (!isGranted(first)) return expect.unreachable();
    const second = reserve(nodes[1]!, account, 60n, session);
    await sleep(250);
    await nodes[0]!.settle(callOf(first, 10n));
    expect(isGranted(await second)).toBe(true);
    expect(await reserve(nodes[2]!, account, 60n, session)).toMatchObject({
      code: "rate_limit_exceeded",
      params: { reason: "session_budget_reserved" },
      retryAfter: 5,
    });
  }, 30_000);

  it("does not reduce a charge above its reservation, because the client sets it", async () => {
    const account = await makeAccount(database, { quota: 1_000_000n });
    const session = await share(account, 100n);
    const call = await reserve(nodes[0]!, account, 30n, session);
    if (!isGranted(call)) return expect.unreachable();
    await nodes[0]!.settle(callOf(call, 130n));
    expect(await stateOf(session.id)).toMatchObject({ reserved: 0n, spent: 130n });
    const row = await database.pool.query("SELECT quota, bill FROM request_logs WHERE request_id = $1", [
      call.requestId,
    ]);
    expect(row.rows).toMatchObject([{ quota: 130n, bill: null }]);
    expect(await reserve(nodes[1]!, account, 1n, session)).toMatchObject({
      code: "session_budget_exhausted",
    });
  });

  it("is charged by any node that closes a call, and freed when a call is raised or released", async () => {
    const account = await makeAccount(database, { quota: 1_000_000n });
    const session = await share(account, 100n);
    const call = await reserve(nodes[0]!, account, 30n, session);
    if (!isGranted(call)) return expect.unreachable();
    await nodes[0]!.raise({ ...call, amount: 50n });
    expect(await stateOf(session.id)).toMatchObject({ reserved: 50n });
    nodes[0]!.forgetCall(call.requestId);
    expect(await nodes[1]!.settle(callOf(call, 20n))).toBe("settled");
    expect(await stateOf(session.id)).toMatchObject({ reserved: 0n, spent: 20n });
    const failed = await reserve(nodes[0]!, account, 30n, session);
    if (!isGranted(failed)) return expect.unreachable();
    await nodes[0]!.settle(callOf(failed, 0n, { type: 5, outcome: "failed" }));
    expect(await stateOf(session.id)).toMatchObject({ reserved: 0n, spent: 20n });
  });

  it("is freed when the node of a call dies", async () => {
    const account = await makeAccount(database, { quota: 1_000_000n });
    const session = await share(account, 100n);
    const dying = makeNode({ beatMs: 60_000 });
    await dying.start();
    expect(isGranted(await reserve(dying, account, 80n, session))).toBe(true);
    // It sends no further heartbeats, and another node takes over.
    const heir = makeNode({ beatMs: 50, silentAfterMs: 400 });
    await database.pool.query("UPDATE nodes SET heartbeat = heartbeat - interval '1 hour'");
    await heir.start();
    await expect.poll(async () => (await stateOf(session.id)).reserved, { timeout: 10_000 }).toBe(0n);
    expect(isGranted(await reserve(heir, account, 90n, session))).toBe(true);
    await heir.close();
    await dying.close();
  }, 30_000);

  it(
    "is exceeded only by what calls cost above their reservations, with a killed node among three",
    { tags: "nightly", timeout: 240_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.bigInt({ min: 50n, max: 400n }),
          fc.array(
            fc.record({
              node: fc.integer({ min: 0, max: 2 }),
              amount: fc.bigInt({ min: 0n, max: 60n }),
              // In percent of the reservation.
              charge: fc.bigInt({ min: 0n, max: 180n }),
              end: fc.constantFrom("settle", "settle", "fail", "killed"),
            }),
            { minLength: 20, maxLength: 60 },
          ),
          async (limit, calls) => {
            const account = await makeAccount(database, { quota: 1_000_000n });
            const session = await share(account, limit);
            const killed = makeNode({ beatMs: 60_000 });
            await killed.start();
            const lost: ReserveInput[] = [];
            let above = 0n;
            await Promise.all(
              calls.map(async ({ node: at, amount, charge, end }) => {
                const node = end === "killed" ? killed : nodes[at]!;
                const input = { ...reservation(account, amount), session };
                const granted = await node.reserve(input).then(
                  () => true,
                  (error: unknown) => {
                    if (error instanceof GatewayError) return false;
                    throw error;
                  },
                );
                if (!granted) return;
                const now = await stateOf(session.id);
                expect(now.spent + now.reserved).toBeLessThanOrEqual(limit + above);
                if (end === "killed") lost.push(input);
                else if (end === "fail") await node.settle(callOf(input, 0n, { type: 5, outcome: "failed" }));
                else {
                  const cost = (amount * charge) / 100n;
                  if (cost > amount) above += cost - amount;
                  await node.settle(callOf(input, cost));
                }
              }),
            );
            const { spent, reserved } = await stateOf(session.id);
            const open = lost.reduce((sum, { amount }) => sum + amount, 0n);
            expect(reserved).toBe(open);
            expect(spent + reserved).toBeLessThanOrEqual(limit + above);
            const { rows } = await database.pool.query<{ charged: bigint }>(
              "SELECT COALESCE(sum(quota), 0)::bigint AS charged FROM request_logs WHERE user_id = $1 AND type = 2",
              [account.userId],
            );
            expect(rows[0]?.charged).toBe(spent);
            await killed.close();
            expect(await stateOf(session.id)).toMatchObject({ reserved: 0n, spent });
          },
        ),
        { numRuns: 6 },
      );
      expect(await audit(database.pool)).toMatchObject({ drift: 0n, rows: [] });
    },
  );
});
