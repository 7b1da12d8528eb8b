import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Account, callOf, makeAccount, reservation } from "#domain/ledger/accounts.fixture.ts";
import { audit } from "#domain/ledger/balances/audit.ts";
import { bookCharges } from "#domain/ledger/bookings/book-charges.ts";
import { createLedger, type Ledger } from "#domain/ledger/ledger.ts";
import { connect, type Database } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";
import { startTcpProxy, type TcpProxy } from "#test/tcp-proxy.ts";

/** Calls that end while the database is away for longer than a client can wait. */
let database: Database;
let proxy: TcpProxy;
let through: Database;
let ledger: Ledger;
let reports: string[];

beforeEach(async () => {
  database = await openTestDatabase({ max: 4 });
  proxy = await startTcpProxy(database.url);
  through = connect(proxy.url, { max: 4 });
  reports = [];
  ledger = createLedger({
    database: through,
    nodeId: randomUUID(),
    beatMs: 60_000,
    silentMs: 1_000,
    retryForMs: 400,
    onError: (error) => reports.push(String(error)),
  });
  await ledger.start();
});
afterEach(async () => {
  proxy.silenceNew(false);
  proxy.resume();
  await ledger.close();
  expect(await audit(database.pool)).toMatchObject({ drift: 0n, rows: [] });
  await through.close();
  await proxy.close();
  await database.close();
});

/** The database does not answer from now on. */
function away(): void {
  proxy.silenceNew(true);
  proxy.cut();
}
function back(): void {
  proxy.silenceNew(false);
  proxy.cut();
}

async function usedBy({ userId }: Account): Promise<bigint> {
  await bookCharges(database.db, userId);
  return (await database.db.user.findUniqueOrThrow({ where: { id: userId } })).used_quota;
}
async function rowsOf(requestId: string): Promise<number> {
  const text = "SELECT 1 FROM request_logs WHERE request_id = $1";
  return (await database.pool.query({ text, values: [requestId] })).rows.length;
}

describe("a call that ends while the database is away", () => {
  for (const own of [true, false])
    it(`is charged once when the database is back (${own ? "reservation" : "lease"})`, async () => {
      const account = await makeAccount(database, { quota: 100_000n });
      for (let index = 0; index < 6; index += 1) {
        const before = reservation(account, 10n);
        await ledger.reserve(before);
        await ledger.settle(callOf(before, 1n));
      }
      const reserved = { ...reservation(account, 10n), own };
      await ledger.reserve(reserved);
      away();
      expect(await ledger.settle(callOf(reserved, 7n))).toBe("pending");
      back();
      await expect.poll(() => rowsOf(reserved.requestId), { timeout: 15_000 }).toBe(1);
      expect(await usedBy(account)).toBe(13n);
      await expect.poll(() => ledger.trouble(), { timeout: 15_000 }).toBeUndefined();
    });

  it("is charged once when its first statement took effect and the reply was lost", async () => {
    const account = await makeAccount(database, { quota: 1_000n });
    const reserved = reservation(account, 10n);
    await ledger.reserve(reserved);
    proxy.silenceNew(true);
    proxy.silence("to-client");
    expect(await ledger.settle(callOf(reserved, 7n))).toBe("pending");
    expect(await usedBy(account)).toBe(7n);
    back();
    await expect.poll(() => ledger.trouble(), { timeout: 15_000 }).toBeUndefined();
    expect([await usedBy(account), await rowsOf(reserved.requestId)]).toEqual([7n, 1]);
  });

  it("is charged although another node has released its reservation in the meantime", async () => {
    const account = await makeAccount(database, { quota: 1_000n });
    const reserved = reservation(account, 10n);
    await ledger.reserve(reserved);
    away();
    expect(await ledger.settle(callOf(reserved, 7n))).toBe("pending");
    const other = createLedger({
      database,
      nodeId: randomUUID(),
      onError: (error) => reports.push(String(error)),
      beatMs: 20,
      silentAfterMs: 200,
    });
    await other.start();
    await expect.poll(() => database.db.reservation.count(), { timeout: 15_000 }).toBe(0);
    back();
    await expect.poll(() => rowsOf(reserved.requestId), { timeout: 15_000 }).toBe(1);
    await other.close();
    expect(await usedBy(account)).toBe(7n);
  });

  it("keeps later calls waiting no longer than usual", async () => {
    const account = await makeAccount(database, { quota: 10_000n });
    const calls = Array.from({ length: 210 }, () => reservation(account, 10n));
    await Promise.all(calls.map((reserved) => ledger.reserve(reserved)));
    away();
    const ends = await Promise.all(calls.map((reserved) => ledger.settle(callOf(reserved, 1n))));
    expect(new Set(ends)).toEqual(new Set(["pending"]));
    await expect(ledger.reserve(reservation(account, 10n))).rejects.toMatchObject({ code: "unavailable" });
    back();
    await expect.poll(() => usedBy(account), { timeout: 15_000 }).toBe(210n);
  });

  it("is an error for a call that any node may settle, because its client only reads again", async () => {
    const account = await makeAccount(database, { quota: 1_000n });
    const reserved = { ...reservation(account, 10n), own: true };
    await ledger.reserve(reserved);
    away();
    await expect(ledger.settle(callOf(reserved, 7n), true)).rejects.toMatchObject({ code: "unavailable" });
    back();
    await expect.poll(() => ledger.settle(callOf(reserved, 7n), true).catch(() => "away")).toBe("settled");
  });

  it("is named in the log when the node stops before the database is back", async () => {
    const account = await makeAccount(database, { quota: 1_000n });
    const reserved = reservation(account, 10n);
    await ledger.reserve(reserved);
    away();
    expect(await ledger.settle(callOf(reserved, 7n))).toBe("pending");
    const closed = ledger.close().catch(() => undefined);
    await expect
      .poll(() => reports.join("\n"), { timeout: 15_000 })
      .toContain(`${reserved.requestId} of user ${account.userId} was answered, and its charge of 7 points`);
    back();
    await closed;
    await database.pool.query("SELECT 1");
  });
});
