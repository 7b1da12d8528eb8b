/** During an upgrade, a newer version adds columns to the log while nodes of this version serve calls. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";
import { callOf, makeAccount, reservation } from "./accounts.fixture.ts";
import { createLedger, type Ledger } from "./ledger.ts";

let database: Database;
let ledger: Ledger;
const errors: unknown[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
  ledger = createLedger({ database, nodeId: randomUUID(), onError: (error) => errors.push(error) });
  await ledger.start();
});
afterAll(async () => {
  await ledger.close();
  await database.close();
});

const addColumn = (name: string) => database.pool.query(`ALTER TABLE request_logs ADD COLUMN ${name} text`);

it("a call is charged and logged after a newer version has added a column to the log", async () => {
  const account = await makeAccount(database, { quota: 1_000n });
  const settle = async (quota: bigint) => {
    const reserved = reservation(account, 10n);
    await ledger.reserve(reserved);
    await ledger.settle(callOf(reserved, quota));
  };
  await settle(1n);
  await addColumn("region");
  // The first calls have reservations of their own, later ones a lease.
  for (let call = 0; call < 6; call += 1) await settle(1n);
  await addColumn("zone");
  await Promise.all(Array.from({ length: 20 }, () => settle(1n)));
  const refused = reservation(account, 10n);
  await addColumn("row");
  await ledger.logRefused(callOf(refused, 0n, { type: 5, outcome: "failed", status: 404 }));
  const { rows } = await database.pool.query(
    "SELECT type, count(*)::int AS rows, sum(quota)::int AS quota FROM request_logs WHERE user_id = $1 AND type IN (2, 5) GROUP BY type ORDER BY type",
    [account.userId],
  );
  expect(rows).toEqual([
    { type: 2, rows: 27, quota: 27 },
    { type: 5, rows: 1, quota: 0 },
  ]);
  expect(errors).toEqual([]);
});
