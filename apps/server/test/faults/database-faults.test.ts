import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { audit } from "#domain/ledger/audit.ts";
import { connect, type Database } from "#platform/database/db.ts";
import type { TestDatabase } from "#test/database-copies.ts";
import { installedDatabase } from "#test/database.ts";
import { type GatewayProcess, startGatewayProcess } from "#test/gateway-process.ts";
import { startTcpProxy, type TcpProxy } from "#test/tcp-proxy.ts";

/** A gateway whose database stops responding, closes connections, or is locked by an operator. */
let place: TestDatabase;
let database: Database;
let proxy: TcpProxy;
let dataDir: string;
let gateway: GatewayProcess;
let key: string;

beforeAll(async () => {
  place = await installedDatabase();
  database = connect(place.url, { max: 4 });
  proxy = await startTcpProxy(place.url);
  dataDir = await mkdtemp(join(tmpdir(), "gateway-silent-"));
  gateway = await startGatewayProcess({ DATABASE_URL: proxy.url, DATA_DIR: dataDir });
  await gateway.api("POST", "/channel", {
    type: 900,
    name: "demo",
    models: ["demo-chat"],
    groups: ["default"],
  });
  ({ key } = await gateway.api<{ key: string }>("POST", "/token", { name: "t" }));
}, 60_000);
afterAll(async () => {
  gateway.process.kill("SIGKILL");
  await gateway.ended;
  await proxy.close();
  expect((await audit(database.pool)).rows.filter(({ what }) => !what.endsWith("reserved"))).toEqual([]);
  await database.close();
  await place.drop();
  await rm(dataDir, { recursive: true, force: true });
});

async function call(presented = key): Promise<{ status: number; body: string; retryAfter: string | null }> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${presented}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "Hi" }] }),
    // The limit of a statement is five minutes: a call that waits for it fails here.
    signal: AbortSignal.timeout(60_000),
  });
  return {
    status: response.status,
    body: await response.text(),
    retryAfter: response.headers.get("retry-after"),
  };
}

const ready = async () => (await fetch(`${gateway.url}/api/ready`)).status;

describe("a gateway", () => {
  it("serves calls when every connection to its database has stopped responding", async () => {
    expect((await call()).status).toBe(200);
    proxy.silence();
    const answers = await Promise.all(Array.from({ length: 5 }, () => call()));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    await expect.poll(ready, { timeout: 15_000 }).toBe(200);
  }, 90_000);

  it("returns nothing worse than 503 when all its connections are ended again and again", async () => {
    await expect
      .poll(() => gateway.api("GET", "/channel").then(() => "served", String), { timeout: 30_000 })
      .toBe("served");
    // No node has cached these keys, so each is read from the database.
    const keys = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        gateway.api<{ key: string }>("POST", "/token", { name: `t${index}` }),
      ),
    );
    const statuses = new Set<number>();
    const calls = keys.map(async (token, index) => {
      await sleep(index * 50);
      const { status, retryAfter } = await call(token.key);
      statuses.add(status);
      if (status !== 200) expect(retryAfter).not.toBeNull();
    });
    for (let round = 0; round < 5; round += 1) {
      await sleep(200);
      await database.pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name LIKE 'gateway%' AND pid <> pg_backend_pid() AND datname = current_database()
           AND client_port <> (SELECT client_port FROM pg_stat_activity WHERE pid = pg_backend_pid())`,
      );
    }
    await Promise.all(calls);
    expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  }, 60_000);
});
