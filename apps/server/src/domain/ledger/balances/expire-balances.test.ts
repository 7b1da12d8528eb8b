import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Account, callOf, makeAccount, reservation } from "#domain/ledger/accounts.fixture.ts";
import { createLedger, type Ledger } from "#domain/ledger/ledger.ts";
import type { Database } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";
import { audit } from "./audit.ts";
import { credit } from "./credit.ts";
import { expireBalances } from "./expire-balances.ts";

let database: Database;
let ledger: Ledger;
let account: Account;

beforeAll(async () => {
  database = await openTestDatabase({ max: 6 });
  ledger = createLedger({
    database,
    nodeId: randomUUID(),
    onError: (error) => expect.unreachable(String(error)),
  });
});
afterAll(async () => {
  await ledger.close();
  await database.close();
});
beforeEach(async () => {
  account = await makeAccount(database, { quota: 1_000n });
});

const yesterday = () => new Date(Date.now() - 86_400_000);
const validUntil = (date: Date | null) =>
  database.db.user.update({ where: { id: account.userId }, data: { quota_expires_at: date } });
const user = () => database.db.user.findUniqueOrThrow({ where: { id: account.userId } });

async function booksAreRight(): Promise<void> {
  expect(await audit(database.pool)).toMatchObject({ drift: 0n, rows: [] });
}

describe("expired balance", () => {
  it("is deducted with one ledger entry and one log row, and the next credit sets a new date", async () => {
    await validUntil(yesterday());
    expect(await expireBalances(database)).toEqual([{ userId: account.userId, points: 1_000n }]);
    expect(await user()).toMatchObject({ quota: 0n, quota_expires_at: null });
    const entries = await database.db.ledgerEntry.findMany({
      where: { user_id: account.userId, kind: "expiry" },
    });
    expect(entries).toMatchObject([{ amount: -1_000n }]);
    expect(entries[0]?.reason).toMatch(/^The balance was valid until \d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d$/) as string;
    expect(entries[0]?.reason_facts).toEqual([{ code: "balanceExpired", params: { time } }]);
    const { rows } = await database.pool.query(
      "SELECT quota, content FROM request_logs WHERE user_id = $1 AND type = 4 AND quota < 0",
      [account.userId],
    );
    expect(rows).toHaveLength(1);
    await booksAreRight();
    await credit(database.db, {
      userId: account.userId,
      kind: "admin",
      amount: 5n,
      reference: randomUUID(),
      reason: "",
    });
    expect(await expireBalances(database)).toEqual([]);
    expect(await user()).toMatchObject({ quota: 5n });
  });

  it("stays before its expiry date, and without one", async () => {
    await validUntil(new Date(Date.now() + 60_000));
    expect(await expireBalances(database)).toEqual([]);
    await validUntil(null);
    expect(await expireBalances(database)).toEqual([]);
    expect(await user()).toMatchObject({ quota: 1_000n });
  });

  it("keeps the reservations of open calls, and deducts the points that they release", async () => {
    const reserved = reservation(account, 400n);
    await ledger.reserve(reserved);
    await validUntil(yesterday());
    expect(await expireBalances(database)).toEqual([{ userId: account.userId, points: 600n }]);
    expect(await expireBalances(database)).toEqual([]);
    await booksAreRight();
    expect(await ledger.settle(callOf(reserved, 150n))).toBe("settled");
    expect(await expireBalances(database)).toEqual([{ userId: account.userId, points: 250n }]);
    expect(await user()).toMatchObject({ quota: 0n, reserved: 0n, quota_expires_at: null });
    await booksAreRight();
  });

  it("is deducted once on several nodes, and balances with concurrent calls and top-ups", async () => {
    await validUntil(yesterday());
    await Promise.all([
      ...Array.from({ length: 4 }, () => expireBalances(database)),
      ...Array.from({ length: 20 }, async () => {
        const reserved = reservation(account, 30n);
        await ledger.reserve(reserved).then(
          () => ledger.settle(callOf(reserved, 20n)),
          () => undefined,
        );
      }),
      credit(database.db, {
        userId: account.userId,
        kind: "redemption",
        amount: 700n,
        reference: randomUUID(),
        reason: "",
        validUntil: new Date(Date.now() + 86_400_000),
      }),
    ]);
    await booksAreRight();
    const after = await user();
    expect(after.quota).toBeGreaterThanOrEqual(0n);
    // The order does not matter: once a top-up has moved the date, it is not deducted with the rest.
    expect(after.quota).toBeGreaterThanOrEqual(700n - 20n * 20n);
  });
});
