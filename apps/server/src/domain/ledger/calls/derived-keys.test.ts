import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Account, callOf, makeAccount, reservation } from "#domain/ledger/accounts.fixture.ts";
import { audit } from "#domain/ledger/balances/audit.ts";
import type { DerivedKeyShare, ReserveInput } from "#domain/ledger/batches/operations.ts";
import { createLedger, type Ledger } from "#domain/ledger/ledger.ts";
import { forgetDerivedKeys } from "#domain/tokens/derived-keys/derived-keys.ts";
import { GatewayError } from "#errors.ts";
import type { Database } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";

/** The amounts of derived keys, on three nodes. */
let database: Database;
let nodes: Ledger[];

beforeAll(async () => {
  database = await openTestDatabase({ max: 8 });
  nodes = [1, 2, 3].map(() =>
    createLedger({
      database,
      nodeId: randomUUID(),
      callsBeforeLease: 2,
      onError: (error) => expect.unreachable(String(error)),
    }),
  );
  await Promise.all(nodes.map((node) => node.start()));
});

afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()));
  await database.close();
});

const dayMs = 86_400_000;

function shareOf(limit: bigint | undefined, parentId?: string, label = "worker"): DerivedKeyShare {
  const id = randomUUID().replaceAll("-", "");
  return { id, parentId, label, limit, expiresAt: Date.now() + dayMs };
}

/** Reserves without waiting for other calls, unless it is patient. */
async function reserve(
  node: Ledger,
  account: Account,
  amount: bigint,
  derivedKeys: DerivedKeyShare[],
  waitsForOthers = false,
): Promise<ReserveInput | GatewayError> {
  const input = { ...reservation(account, amount), derivedKeys, waitsForOthers };
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

const stateOf = ({ id }: DerivedKeyShare) => database.db.derivedKey.findUniqueOrThrow({ where: { id } });

async function expectNoDrift() {
  expect(await audit(database.pool)).toMatchObject({ drift: 0n, rows: [] });
}

describe("the amount of a derived key", () => {
  it("has one row for all nodes that make its first call at the same time", async () => {
    const account = await makeAccount(database, { quota: 1_000_000n });
    const share = shareOf(100n);
    const calls = await Promise.all(
      Array.from({ length: 30 }, (_, n) => reserve(nodes[n % 3]!, account, 10n, [share])),
    );
    expect(calls.filter(isGranted)).toHaveLength(10);
    expect(await stateOf(share)).toMatchObject({
      reserved: 100n,
      spent: 0n,
      quota: 100n,
      label: "worker",
      token_id: account.tokenId,
    });
    await Promise.all(calls.filter(isGranted).map((call, n) => nodes[n % 3]!.settle(callOf(call, 4n))));
    expect(await stateOf(share)).toMatchObject({ reserved: 0n, spent: 40n });
    const spent = await reserve(nodes[1]!, account, 61n, [share]);
    expect(spent).toMatchObject({
      code: "spend_limit_reached",
      status: 402,
      message: expect.stringContaining("$0.000200 (worker)"),
    });
    expect(isGranted(await reserve(nodes[1]!, account, 0n, [share]))).toBe(true);
  });

  it("covers the keys that were derived from it, and each call counts on every level", async () => {
    const account = await makeAccount(database, { quota: 1_000_000n });
    const planner = shareOf(100n, undefined, "planner");
    const worker = shareOf(1_000n, planner.id);
    const free = shareOf(undefined, planner.id);
    const first = await reserve(nodes[0]!, account, 60n, [planner, worker]);
    const second = await reserve(nodes[1]!, account, 40n, [planner, free]);
    expect([first, second].every(isGranted)).toBe(true);
    expect(await reserve(nodes[2]!, account, 1n, [planner, worker])).toMatchObject({
      code: "rate_limit_exceeded",
      params: { reason: "derived_key_reserved", label: "planner" },
    });
    if (isGranted(first)) await nodes[0]!.settle(callOf(first, 60n));
    if (isGranted(second)) await nodes[1]!.settle(callOf(second, 0n, { type: 5, outcome: "failed" }));
    expect(await stateOf(planner)).toMatchObject({ reserved: 0n, spent: 60n, parent_id: null });
    expect(await stateOf(worker)).toMatchObject({ reserved: 0n, spent: 60n, parent_id: planner.id });
    expect(await stateOf(free)).toMatchObject({ reserved: 0n, spent: 0n });
    expect(await reserve(nodes[2]!, account, 41n, [planner, free])).toMatchObject({
      code: "spend_limit_reached",
      params: { label: "planner" },
    });
  });

  it("is kept by a thousand derived keys that spend it on three nodes at the same time", async () => {
    const account = await makeAccount(database, { quota: 10_000_000n });
    const dollar = shareOf(500_000n);
    const outcomes = await Promise.all(
      Array.from({ length: 1_000 }, async (_, n) => {
        const node = nodes[n % 3]!;
        const call = await reserve(node, account, 5_000n, [dollar, shareOf(10_000n, dollar.id)]);
        if (isGranted(call)) await node.settle(callOf(call, 4_321n));
        return isGranted(call);
      }),
    );
    const served = BigInt(outcomes.filter(Boolean).length);
    const { spent, reserved } = await stateOf(dollar);
    expect({ spent, reserved }).toEqual({ spent: served * 4_321n, reserved: 0n });
    expect(served).toBeGreaterThanOrEqual(100n);
    expect(spent).toBeLessThanOrEqual(500_000n);
    await expectNoDrift();
  });

  it("is exact while the token has leases", async () => {
    const account = await makeAccount(database, { quota: 10_000n });
    const share = shareOf(100n);
    const run = async (n: number) => {
      const node = nodes[n % 3]!;
      if (n % 2 === 0) {
        const own = reservation(account, 10n);
        await node.reserve(own);
        await node.settle(callOf(own, 3n));
        return;
      }
      const call = await reserve(node, account, 10n, [share]);
      if (isGranted(call)) await node.settle(callOf(call, 7n));
    };
    for (let round = 0; round < 10; round += 1)
      await Promise.all(Array.from({ length: 30 }, (_, n) => run(n)));
    const { spent, reserved } = await stateOf(share);
    expect(spent).toBe(91n);
    expect(reserved).toBe(0n);
    await expectNoDrift();
  });

  it("is free again when a node fails, and a larger amount is reserved for the same call", async () => {
    const account = await makeAccount(database, { quota: 1_000n });
    const share = shareOf(100n);
    const node = createLedger({ database, nodeId: randomUUID(), onError: () => {} });
    await node.start();
    const call = await reserve(node, account, 30n, [share]);
    if (!isGranted(call)) return expect.unreachable("The key covers the call.");
    await node.raise({ ...call, amount: 80n });
    expect(await stateOf(share)).toMatchObject({ reserved: 80n });
    // Closing releases what is still reserved, with the statement that releases reservations of failed nodes.
    await node.close();
    expect(await stateOf(share)).toMatchObject({ reserved: 0n, spent: 0n });
  });

  it("makes no row for a call that is refused for another reason", async () => {
    const poor = await makeAccount(database, { quota: 5n });
    const share = shareOf(100n);
    expect(await reserve(nodes[0]!, poor, 10n, [share])).toMatchObject({ code: "insufficient_quota" });
    expect(await database.db.derivedKey.count({ where: { token_id: poor.tokenId } })).toBe(0);
  });

  it("is refused for a key that was revoked, also as an ancestor", async () => {
    const account = await makeAccount(database, { quota: 1_000n });
    const [planner, other] = [shareOf(100n), shareOf(100n)];
    const worker = shareOf(undefined, planner.id);
    expect(isGranted(await reserve(nodes[0]!, account, 1n, [planner, worker]))).toBe(true);
    expect(isGranted(await reserve(nodes[0]!, account, 1n, [other]))).toBe(true);
    await database.db.derivedKey.update({ where: { id: planner.id }, data: { revoked_at: new Date() } });
    for (const node of nodes)
      expect(await reserve(node, account, 0n, [planner, worker])).toMatchObject({
        code: "invalid_api_key",
        params: { reason: "derived_key_revoked" },
      });
    expect(isGranted(await reserve(nodes[1]!, account, 1n, [other]))).toBe(true);
  });

  it("is not stored for more than 2,000 keys that begin with the same one", async () => {
    const account = await makeAccount(database, { quota: 1_000n });
    const [planner, other] = [shareOf(undefined), shareOf(undefined)];
    expect(isGranted(await reserve(nodes[0]!, account, 1n, [planner]))).toBe(true);
    await database.pool.query(
      `INSERT INTO derived_keys (id, token_id, user_id, root_id, expires_at)
       SELECT md5($1 || n), $2::int, $3, $1, now() + interval '1 day' FROM generate_series(1, 1999) n`,
      [planner.id, account.tokenId, account.userId],
    );
    expect(await reserve(nodes[0]!, account, 1n, [planner, shareOf(1n, planner.id)])).toMatchObject({
      code: "conflict",
      params: { most_of_one: 2_000 },
    });
    expect(isGranted(await reserve(nodes[0]!, account, 1n, [other, shareOf(1n, other.id)]))).toBe(true);
  });

  it("is not stored for more than 10,000 keys of a token", async () => {
    const account = await makeAccount(database, { quota: 1_000n });
    const known = shareOf(100n);
    expect(isGranted(await reserve(nodes[0]!, account, 1n, [known]))).toBe(true);
    await database.pool.query(
      `INSERT INTO derived_keys (id, token_id, user_id, root_id, expires_at)
       SELECT md5($1 || n), $1::int, $2, md5($1 || n), now() + interval '1 day' FROM generate_series(1, 9999) n`,
      [account.tokenId, account.userId],
    );
    expect(await reserve(nodes[0]!, account, 1n, [shareOf(100n)])).toMatchObject({
      code: "conflict",
      params: { reason: "too_many_derived_keys", most: 10_000 },
    });
    expect(isGranted(await reserve(nodes[0]!, account, 1n, [known]))).toBe(true);
    await database.pool.query(
      "UPDATE derived_keys SET expires_at = now() - interval '8 days' WHERE token_id = $1 AND id <> $2",
      [account.tokenId, known.id],
    );
    await forgetDerivedKeys(database.pool);
    expect(isGranted(await reserve(nodes[0]!, account, 1n, [shareOf(100n)]))).toBe(true);
  });

  it("holds for any order of calls of a tree of keys on any nodes", async () => {
    const step = fc.record({
      node: fc.nat(2),
      key: fc.nat(5),
      amount: fc.bigInt(0n, 40n),
      charge: fc.bigInt(0n, 40n),
      waits: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const account = await makeAccount(database, { quota: 500n });
        const root = shareOf(100n);
        const [left, right] = [shareOf(60n, root.id), shareOf(undefined, root.id)];
        const chains = [[root], [root, left], [root, right], [root, left, shareOf(30n, left.id)]];
        chains.push([root, right, shareOf(50n, right.id)], [shareOf(20n)]);
        const open: { input: ReserveInput; charge: bigint }[] = [];
        const settle = () =>
          Promise.all(
            open.splice(0).map(({ input, charge }, n) =>
              // A call never costs more than was reserved.
              nodes[n % 3]!.settle(callOf(input, charge < input.amount ? charge : input.amount)),
            ),
          );
        await Promise.all(
          steps.map(async ({ node, key, amount, charge, waits }) => {
            const input = await reserve(nodes[node]!, account, amount, chains[key] ?? []);
            if (!isGranted(input)) return;
            open.push({ input, charge });
            if (!waits) await settle();
          }),
        );
        await settle();
        for (const share of new Set(chains.flat())) {
          const row = await database.db.derivedKey.findUnique({ where: { id: share.id } });
          if (row === null) continue;
          expect(row.reserved).toBe(0n);
          if (share.limit !== undefined) expect(row.spent).toBeLessThanOrEqual(share.limit);
        }
      }),
      { numRuns: 25 },
    );
    await expectNoDrift();
  });
});
