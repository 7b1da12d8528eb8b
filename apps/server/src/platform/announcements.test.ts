import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestDatabase } from "#test/database-copies.ts";
import { freshDatabase } from "#test/database.ts";
import { startTcpProxy } from "#test/tcp-proxy.ts";
import { announce, coalesce, listen } from "./announcements.ts";
import { connect as openDatabase, type Database } from "./database/db.ts";

let home: TestDatabase;
let database: Database;
beforeAll(async () => {
  home = await freshDatabase();
  database = openDatabase(home.url, { max: 2 });
});
afterAll(async () => {
  await database.close();
  await home.drop();
});

describe("the announcement listener", () => {
  it("retries once a second while the database is away, and receives each change once afterwards", async () => {
    const proxy = await startTcpProxy(home.url);
    const ears = await listen(proxy.url, () => {});
    const received: number[] = [];
    ears.on("channels", (id) => received.push(id));
    await announce(database.db, "channels", 1);
    await expect.poll(() => received).toEqual([1]);

    proxy.refuseNew(true);
    proxy.cut();
    const before = proxy.opened();
    const away = performance.now();
    const attempts = () => proxy.opened() - before;
    await expect.poll(attempts).toBeGreaterThan(3);
    expect(attempts()).toBeLessThan(3 + (performance.now() - away) / 1_000);

    proxy.refuseNew(false);
    await expect.poll(() => received).toEqual([1, 0]);
    await announce(database.db, "channels", 2);
    await announce(database.db, "channels", 3);
    await expect.poll(() => received).toEqual([1, 0, 2, 3]);
    await ears.caughtUp();
    expect(received).toEqual([1, 0, 2, 3]);
    await ears.close();
    await proxy.close();
  });

  it("leaves no connection behind when it is closed while it opens one again", async () => {
    const proxy = await startTcpProxy(home.url);
    const errors: string[] = [];
    const ears = await listen(proxy.url, (error) => errors.push(error.message));
    const before = proxy.opened();
    proxy.cut();
    await expect.poll(() => proxy.opened()).toBe(before + 1);
    await ears.close();
    const { rows } = await database.pool.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    const listening = () =>
      database.pool
        .query(
          `SELECT 1 FROM pg_stat_activity
             WHERE datname = current_database() AND application_name = 'gateway-listen' AND pid <> $1`,
          [rows[0]?.pid],
        )
        .then(({ rowCount }) => rowCount);
    await expect.poll(listening).toBe(0);
    expect(errors.filter((message) => /abort/i.test(message))).toEqual([]);
    await proxy.close();
  });

  it("receives announcements made before it subscribed to the topic", async () => {
    const ears = await listen(home.url, () => {});
    await announce(database.db, "prices", 3);
    await ears.caughtUp();
    const received: number[] = [];
    ears.on("prices", (id) => received.push(id));
    ears.on("groups", () => expect.unreachable());
    expect(received).toEqual([0]);
    await ears.close();
  });

  it("is called again until it has applied the change, and counts as stale until then", async () => {
    const errors: string[] = [];
    const ears = await listen(home.url, (error) => errors.push(error.message));
    let failures = 2;
    const loaded: number[] = [];
    ears.on("channels", async (id) => {
      failures -= 1;
      if (failures >= 0) throw new Error("no connection");
      loaded.push(id);
    });
    await announce(database.db, "channels", 7);
    await expect.poll(() => ears.stale().map(({ topic }) => topic)).toEqual(["channels"]);
    await expect.poll(() => loaded).toEqual([7]);
    expect(ears.stale()).toEqual([]);
    expect(ears.failures().get("channels")).toBe(2);
    expect(errors).toHaveLength(2);
    await ears.close();
  });

  it("detects that its connection is silent, opens another one and reloads", async () => {
    const proxy = await startTcpProxy(home.url);
    const ears = await listen(proxy.url, () => {}, { beatMs: 1_500 });
    const received: number[] = [];
    ears.on("users", (id) => received.push(id));
    const statements = new Set<string>();
    const beats = async () => {
      const { rows } = await database.pool.query<{ began: string }>(
        `SELECT query_start::text AS began FROM pg_stat_activity
         WHERE application_name = 'gateway-listen' AND datname = current_database()`,
      );
      for (const { began } of rows) statements.add(began);
      return statements.size - 1;
    };
    await expect.poll(beats).toBeGreaterThan(0);
    expect(received).toEqual([]);
    proxy.silence();
    await announce(database.db, "users", 5);
    await expect.poll(() => received).toEqual([0]);
    await announce(database.db, "users", 6);
    await expect.poll(() => received).toEqual([0, 6]);
    await ears.close();
    await proxy.close();
  });
});

describe("a coalesced reload", () => {
  it("never runs twice at once, and rejects so that the caller retries", async () => {
    let running = 0;
    let runs = 0;
    const reload = coalesce(async () => {
      runs += 1;
      expect(++running).toBe(1);
      await sleep(20);
      running -= 1;
      if (runs === 1) throw new Error("the first fails");
    });
    const all = await Promise.allSettled([reload(), reload(), reload()]);
    expect(all.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
    expect(runs).toBe(2);
  });
});
