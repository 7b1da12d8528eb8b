import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { callOf, makeAccount, reservation } from "#domain/ledger/accounts.fixture.ts";
import { audit, describeAudit, storeAudit } from "#domain/ledger/balances/audit.ts";
import { createLedger } from "#domain/ledger/ledger.ts";
import { connect } from "#platform/database/db.ts";
import { freshDatabase } from "#test/database.ts";
import { explainCall } from "./explain.ts";
import { computeBill } from "./pricing.ts";
import { replay } from "./replay.ts";

it("finds every charge and every balance that does not match the books", async () => {
  const home = await freshDatabase();
  const database = connect(home.url, { max: 4 });
  const ledger = createLedger({ database, nodeId: randomUUID(), onError: () => {} });
  await ledger.start();
  const account = await makeAccount(database, { quota: 100_000n });
  const price = {
    versionId: 1,
    model: "m",
    type: "tokens",
    input: "0.3",
    output: "1.7",
    extras: {},
    tiers: [],
  } as const;
  const reserved = Array.from({ length: 30 }, () => reservation(account, 100n));
  for (const [index, each] of reserved.entries()) {
    await ledger.reserve(each);
    const usage = { input: index * 7, output: index * 3, cacheRead: index };
    const { points, bill } = computeBill({ ...price, tiers: [] }, "0.77", usage);
    await ledger.settle(callOf(each, points, { usage, bill }));
  }
  const [from, to] = [new Date(Date.now() - 60_000), new Date(Date.now() + 60_000)];
  const poor = await makeAccount(database, { quota: 10n });
  const beyond = reservation(poor, 10n);
  await ledger.reserve(beyond);
  const { points, bill } = computeBill({ ...price, tiers: [] }, "1", { input: 1_000, output: 0 });
  await ledger.settle(callOf(beyond, points, { bill }));
  expect(await replay(database.pool, from, to)).toEqual({ checked: 31, differences: [] });
  expect(await explainCall(database.pool, beyond.requestId)).toMatchObject({
    points: 10,
    uncollected: "290",
    agrees: true,
  });
  expect(describeAudit(await audit(database.pool))).toBe("4 users and tokens checked, drift 0");

  const victim = reserved[9]!.requestId;
  await database.pool.query("UPDATE request_logs SET quota = quota + 1 WHERE request_id = $1", [victim]);
  await database.pool.query("UPDATE users SET quota = quota - 5, reserved = 2 WHERE id = $1", [
    account.userId,
  ]);
  const found = await replay(database.pool, from, to);
  expect(found.differences).toMatchObject([{ requestId: victim }]);
  const outcome = await audit(database.pool);
  expect(outcome).toMatchObject({
    drift: 7n,
    rows: [
      { what: "user-quota", id: account.userId },
      { what: "user-reserved", id: account.userId, expected: 0n, actual: 2n },
    ],
  });
  await storeAudit(database.pool, outcome);
  expect(await database.db.auditRun.findMany()).toMatchObject([{ checked: 4, drift: 7n }]);
  await ledger.close();
  await database.close();
  await home.drop();
});
