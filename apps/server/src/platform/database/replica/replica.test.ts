import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { connect, type Database } from "#platform/database/db.ts";
import { type ReplicatedPostgres, startReplicatedPostgres } from "#test/standby.ts";
import { startTcpProxy, type TcpProxy } from "#test/tcp-proxy.ts";
import { openReplica, type ReadHandles, type Replica } from "./replica.ts";

let postgres: ReplicatedPostgres;
let primary: Database;
let proxy: TcpProxy;
let replica: Replica;
const MAX_LAG_MS = 300;

beforeAll(async () => {
  postgres = await startReplicatedPostgres();
  primary = connect(postgres.primary.url);
  await primary.pool.query("CREATE TABLE notes (text text)");
  proxy = await startTcpProxy(postgres.standby.url);
  replica = openReplica({ url: proxy.url, maxLagMs: MAX_LAG_MS, primary, checkMs: 50 });
  await vi.waitFor(() => expect(replica.state().problem).toBeUndefined(), { timeout: 20_000 });
}, 60_000);
afterAll(async () => {
  await replica.close();
  await proxy.close();
  await primary.close();
  await postgres.close();
}, 60_000);

const isStandby = async ({ pool }: ReadHandles) => {
  const { rows } = await pool.query<{ standby: boolean }>("SELECT pg_is_in_recovery() AS standby");
  return rows[0]?.standby;
};
const countNotes = async ({ pool }: ReadHandles) =>
  Number((await pool.query<{ count: bigint }>("SELECT count(*) FROM notes")).rows[0]?.count);
const write = () => primary.pool.query("INSERT INTO notes VALUES ('a')");

test("replica: reads run on the standby and see a change that was waited for", async () => {
  expect(await replica.run(isStandby)).toBe(true);
  for (let count = 1; count <= 20; count += 1) {
    await write();
    await replica.caughtUp();
    expect(await replica.run(countNotes)).toBe(count);
  }
});

test("replica: the lag of an idle primary stays 0", async () => {
  await expect.poll(() => replica.state()).toEqual({ problem: undefined, lagMs: 0 });
});

test("replica: a standby that is too far behind is not read until it has caught up", async () => {
  await postgres.pauseReplay();
  await write();
  await expect.poll(() => replica.state().problem, { timeout: 10_000 }).toBe("replica_lagging");
  expect(replica.state().lagMs).toBeGreaterThan(MAX_LAG_MS);
  const before = new Map(replica.readCounts());
  expect(await replica.run(isStandby)).toBe(false);
  expect(replica.readCounts().get("replica_lagging")).toBe((before.get("replica_lagging") ?? 0) + 1);
  expect(replica.readCounts().get("replica")).toBe(before.get("replica"));
  await postgres.resumeReplay();
  await expect.poll(() => replica.state().problem, { timeout: 10_000 }).toBeUndefined();
  expect(await replica.run(isStandby)).toBe(true);
});

test("replica: a read whose connection the standby ends runs again on the primary", async () => {
  const pids: number[] = [];
  const result = await replica.run(async (database) => {
    const client = await database.pool.connect();
    try {
      const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
      pids.push(rows[0]?.pid ?? 0);
      if (pids.length === 1) {
        client.on("error", () => undefined);
        const end = client.query("SELECT pg_terminate_backend(pg_backend_pid())");
        await end;
      }
      return await isStandby(database);
    } finally {
      client.release(pids.length === 1);
    }
  });
  expect(pids).toHaveLength(2);
  expect(result).toBe(false);
  expect(replica.readCounts().get("replica_failed")).toBe(1);
});

test("replica: an error of the read itself is thrown, and the read does not run again", async () => {
  let runs = 0;
  const wrong = replica.run(({ pool }) => {
    runs += 1;
    return pool.query("SELECT nothing FROM nowhere");
  });
  await expect(wrong).rejects.toThrow("nowhere");
  expect(runs).toBe(1);
  await expect(replica.run(({ pool }) => pool.query("DELETE FROM notes"))).rejects.toThrow("read-only");
});

test("replica: a read on a standby that falls silent is answered by the primary", async () => {
  await replica.run(isStandby);
  const before = performance.now();
  const slow = replica.run(async ({ pool }) => {
    const { rows } = await pool.query<{ standby: boolean }>(
      "SELECT pg_is_in_recovery() AS standby, CASE WHEN pg_is_in_recovery() THEN pg_sleep(1) END",
    );
    return rows[0]?.standby;
  });
  proxy.silence();
  proxy.silenceNew(true);
  expect(await slow).toBe(false);
  expect(performance.now() - before).toBeLessThan(10_000);
  expect(replica.state()).toMatchObject({ problem: "replica_unreachable", lagMs: undefined });
  expect(await replica.run(isStandby)).toBe(false);
  proxy.silenceNew(false);
  proxy.cut();
  await expect.poll(() => replica.run(isStandby), { timeout: 20_000 }).toBe(true);
}, 40_000);

test("replica: an address that leads to a primary is not read", async () => {
  const wrong = openReplica({ url: postgres.primary.url, maxLagMs: MAX_LAG_MS, primary });
  expect((await wrong.check()).problem).toBe("replica_not_standby");
  await wrong.close();
});

test("replica: another database of the standby is not read", async () => {
  const url = new URL(postgres.standby.url);
  url.pathname = "/postgres";
  const wrong = openReplica({ url: url.href, maxLagMs: MAX_LAG_MS, primary });
  expect((await wrong.check()).problem).toBe("replica_other_database");
  await wrong.close();
});

test("replica: a role without rights of an administrator can measure the lag", async () => {
  await primary.pool.query("CREATE ROLE reader LOGIN PASSWORD 'reader'");
  await replica.caughtUp();
  const urls = [postgres.primary.url, postgres.standby.url].map((address) => {
    const url = new URL(address);
    [url.username, url.password] = ["reader", "reader"];
    return url.href;
  });
  const asReader = connect(urls[0] ?? "");
  const restricted = openReplica({ url: urls[1] ?? "", maxLagMs: 60_000, primary: asReader });
  expect(await restricted.check()).toMatchObject({ problem: undefined });
  await restricted.close();
  await asReader.close();
});
