import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { connect, type Database } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";
import { startTcpProxy, type TcpProxy } from "#test/tcp-proxy.ts";
import { type Account, callOf, makeAccount, reservation } from "./accounts.fixture.ts";
import { audit } from "./balances/audit.ts";
import { bookCharges } from "./bookings/book-charges.ts";
import { collectChannelCharges } from "./bookings/collect-channel-charges.ts";
import { createLedger, type Ledger, type LedgerOptions } from "./ledger.ts";

/** The ledger with a database that is silent, locked, unavailable or full. */
let database: Database;
let proxy: TcpProxy;
let through: Database;
const opened: Ledger[] = [];
let reports: string[] = [];

beforeAll(async () => {
  database = await openTestDatabase({ max: 6 });
});
beforeEach(async () => {
  proxy = await startTcpProxy(database.url);
  through = connect(proxy.url, { max: 4 });
  reports = [];
});
afterEach(async () => {
  proxy.silenceNew(false);
  for (const ledger of opened.splice(0)) await ledger.close();
  expect(await audit(database.pool)).toMatchObject({ drift: 0n, rows: [] });
  await through.close();
  await proxy.close();
});
afterAll(async () => {
  await database.close();
});

async function openLedger(over: Partial<LedgerOptions> = {}): Promise<Ledger> {
  const ledger = createLedger({
    database: through,
    nodeId: randomUUID(),
    beatMs: 60_000,
    silentMs: 1_000,
    onError: (error) => reports.push(String(error)),
    ...over,
  });
  opened.push(ledger);
  await ledger.start();
  return ledger;
}

async function call(ledger: Ledger, account: Account, cost = 3n): Promise<string> {
  const reserved = reservation(account, 10n);
  await ledger.reserve(reserved);
  return ledger.settle(callOf(reserved, cost));
}

async function usedBy({ userId }: Account): Promise<bigint> {
  await bookCharges(database.db, userId);
  return (await database.db.user.findUniqueOrThrow({ where: { id: userId } })).used_quota;
}

async function milliseconds(work: Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work;
  return performance.now() - began;
}

/** Locks rows in an operator's transaction until the returned function ends it. */
async function lock(sql: string): Promise<() => Promise<void>> {
  const operator = new pg.Client({ connectionString: database.url });
  await operator.connect();
  await operator.query("BEGIN");
  await operator.query(sql);
  return async () => {
    await operator.query("ROLLBACK");
    await operator.end();
  };
}

describe("silent connection", () => {
  for (const direction of ["both", "to-server", "to-client"] as const)
    it(`is dropped, and each call is charged once (${direction})`, async () => {
      const account = await makeAccount(database, { quota: 100_000n });
      const ledger = await openLedger();
      await call(ledger, account);
      let answered = 1;
      const state = { isOver: false };
      const clients = Array.from({ length: 8 }, async () => {
        while (!state.isOver) {
          expect(await call(ledger, account)).toBe("settled");
          answered += 1;
        }
      });
      await expect.poll(() => answered).toBeGreaterThan(40);
      proxy.silence(direction);
      await expect.poll(() => reports.join("\n")).toContain("does not serve the ledger");
      const since = answered;
      await expect.poll(() => answered).toBeGreaterThan(since + 40);
      state.isOver = true;
      await Promise.all(clients);
      // The proxy delivers the withheld data after the statement was sent again.
      proxy.resume();
      await sleep(100);
      expect(await usedBy(account)).toBe(BigInt(answered) * 3n);
    });

  it("shows in the age of the batch while it lasts", async () => {
    const account = await makeAccount(database, { quota: 1_000n });
    const ledger = await openLedger({ silentMs: 2_000 });
    await call(ledger, account);
    expect(ledger.trouble()).toBeUndefined();
    proxy.silence();
    const slow = call(ledger, account);
    await expect.poll(() => ledger.trouble()?.batchMs ?? 0, { interval: 50 }).toBeGreaterThan(400);
    await slow;
    expect(ledger.trouble()).toBeUndefined();
    proxy.resume();
  });
});

describe("slow database", () => {
  // Each insert of log rows takes 0.3 s. The first ones wait until two run at once.
  const slowInserts = `
    CREATE TABLE slow_inserts (at_once int);
    CREATE FUNCTION slow_insert() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      at_once int;
      until timestamptz := clock_timestamp() + '15 seconds';
    BEGIN
      PERFORM pg_advisory_xact_lock_shared(4711), pg_sleep(0.3);
      LOOP
        SELECT count(*) INTO at_once FROM pg_locks
          WHERE locktype = 'advisory' AND objid = 4711
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database());
        EXIT WHEN at_once > 1 OR clock_timestamp() > until OR EXISTS (SELECT 1 FROM slow_inserts WHERE slow_inserts.at_once > 1);
        PERFORM pg_sleep(0.01);
      END LOOP;
      INSERT INTO slow_inserts VALUES (at_once);
      RETURN NULL;
    END $$;
    CREATE TRIGGER slow_insert BEFORE INSERT ON request_logs FOR EACH STATEMENT EXECUTE FUNCTION slow_insert()`;

  it("runs the batches of different accounts in parallel, and each batch contains all waiting calls", async () => {
    const accounts = [
      await makeAccount(database, { quota: 10_000n }),
      await makeAccount(database, { quota: 10_000n }),
    ];
    const ledger = await openLedger({ silentMs: 40_000 });
    const calls = accounts.flatMap((account) => Array.from({ length: 30 }, () => reservation(account, 10n)));
    await Promise.all(calls.map((reserved) => ledger.reserve(reserved)));
    await database.pool.query(slowInserts);
    try {
      const ended = await Promise.all(calls.map((reserved) => ledger.settle(callOf(reserved, 3n))));
      expect(new Set(ended)).toEqual(new Set(["settled"]));
      const { rows } = await database.pool.query<{ inserts: number; at_once: number }>(
        "SELECT count(*)::int AS inserts, max(at_once) AS at_once FROM slow_inserts",
      );
      expect(rows[0]?.at_once).toBe(2);
      expect(rows[0]?.inserts).toBeLessThanOrEqual(calls.length / 5);
      for (const account of accounts) expect(await usedBy(account)).toBe(90n);
    } finally {
      await database.pool.query(
        "DROP TRIGGER slow_insert ON request_logs; DROP FUNCTION slow_insert; DROP TABLE slow_inserts",
      );
    }
  }, 60_000);
});

describe("unavailable database", () => {
  it("refuses calls immediately after the first seconds, and grants them again when it answers", async () => {
    const account = await makeAccount(database, { quota: 1_000n });
    const ledger = await openLedger({ openAfterMs: 1_000, retryForMs: 1_200 });
    await call(ledger, account);
    proxy.silenceNew(true);
    proxy.cut();
    const away = { code: "unavailable", status: 503 };
    const patient = await milliseconds(expect(call(ledger, account)).rejects.toMatchObject(away));
    const refused = { ...away, retryAfter: expect.any(Number) };
    await expect
      .poll(() => milliseconds(expect(call(ledger, account)).rejects.toMatchObject(refused)))
      .toBeLessThan(patient / 4);
    proxy.silenceNew(false);
    proxy.cut();
    await expect.poll(() => call(ledger, account).catch(() => "refused"), { interval: 20 }).toBe("settled");
  });

  it("reports that its disk is full, and works again when space is available", async () => {
    const account = await makeAccount(database, { quota: 1_000n });
    const ledger = await openLedger({ retryForMs: 1_000 });
    await call(ledger, account);
    await database.pool.query(`
      CREATE FUNCTION no_space() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'could not extend file "base/1/2": No space left on device' USING ERRCODE = '53100';
      END $$;
      CREATE TRIGGER no_space BEFORE INSERT ON reservations FOR EACH ROW EXECUTE FUNCTION no_space()`);
    try {
      await expect(call(ledger, account)).rejects.toMatchObject({
        code: "unavailable",
        status: 503,
        retryAfter: 30,
        message: expect.stringContaining("disk of its database is full"),
      });
      expect(ledger.trouble()?.failingMs).toBeGreaterThan(0);
    } finally {
      await database.pool.query("DROP FUNCTION no_space CASCADE");
    }
    await expect.poll(() => call(ledger, account).catch(() => "refused"), { interval: 50 }).toBe("settled");
  });
});

describe("locked row", () => {
  for (const [what, sql] of [
    ["user", (account: Account) => `SELECT 1 FROM users WHERE id = ${account.userId} FOR UPDATE`],
    ["token", (account: Account) => `SELECT 1 FROM tokens WHERE id = ${account.tokenId} FOR UPDATE`],
  ] as const)
    it(`of a ${what} delays the calls of that account only`, async () => {
      const [locked, free] = [
        await makeAccount(database, { quota: 1_000n }),
        await makeAccount(database, { quota: 1_000n }),
      ];
      const ledger = await openLedger({ shards: 1, lockMs: 1_000, silentMs: 5_000 });
      const reserved = reservation(locked, 10n);
      await ledger.reserve(reserved);
      const unlock = await lock(sql(locked));
      const waiting = [call(ledger, locked), ledger.settle(callOf(reserved, 3n))];
      await sleep(50);
      // The first batch with the locked account waits for the lock timeout.
      const first = await milliseconds(call(ledger, free));
      const times: number[] = [];
      for (let index = 0; index < 20; index += 1) times.push(await milliseconds(call(ledger, free)));
      expect(times.sort((a, b) => a - b)[10]).toBeLessThan(Math.max(first, 1_000) / 2);
      expect(ledger.trouble()).toBeUndefined();
      await unlock();
      expect(await Promise.all(waiting)).toEqual(["settled", "settled"]);
      expect(await usedBy(locked)).toBe(6n);
    });

  it("refuses the calls of a locked account with a clear error at the end of the wait", async () => {
    const locked = await makeAccount(database, { quota: 1_000n });
    const ledger = await openLedger({ retryForMs: 600 });
    const unlock = await lock(`SELECT 1 FROM users WHERE id = ${locked.userId} FOR UPDATE`);
    await expect(call(ledger, locked)).rejects.toMatchObject({
      code: "account_busy",
      status: 503,
      retryAfter: expect.any(Number),
    });
    await unlock();
    expect(await call(ledger, locked)).toBe("settled");
  });

  it("delays other accounts only once when many accounts are locked", async () => {
    const accounts = await Promise.all(
      Array.from({ length: 30 }, () => makeAccount(database, { quota: 1_000n })),
    );
    const free = await makeAccount(database, { quota: 1_000n });
    const lockMs = 500;
    const ledger = await openLedger({ shards: 1, lockMs });
    const ids = accounts.map(({ userId }) => userId).join(",");
    const unlock = await lock(`UPDATE users SET display_name = 'x' WHERE id IN (${ids})`);
    const waiting = accounts.map((account) => call(ledger, account));
    // Not one lock timeout per account.
    expect(await milliseconds(call(ledger, free))).toBeLessThan((accounts.length * lockMs) / 2);
    await unlock();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(["settled"]));
  });

  it("of a channel delays no call, and its revenue is added later", async () => {
    const account = await makeAccount(database, { quota: 1_000n });
    const channel = await database.db.channel.create({ data: { name: "locked", type: 1 } });
    const used = async () =>
      (await database.db.channel.findUniqueOrThrow({ where: { id: channel.id } })).used_quota;
    const ledger = await openLedger();
    const unlock = await lock(`SELECT 1 FROM channels WHERE id = ${channel.id} FOR UPDATE`);
    for (const cost of [3n, 4n]) {
      const reserved = reservation(account, 10n);
      await ledger.reserve(reserved);
      expect(await ledger.settle(callOf(reserved, cost, { channelId: channel.id }))).toBe("settled");
    }
    await collectChannelCharges(database.db);
    expect(await used()).toBe(0n);
    await unlock();
    await Promise.all([1, 2, 3].map(() => collectChannelCharges(database.db)));
    expect(await used()).toBe(7n);
    expect(await database.db.channelCharge.count({ where: { channel_id: channel.id } })).toBe(0);
  });
});
