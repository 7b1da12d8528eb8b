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

/** A gateway that is stopped while its database does not respond. It waits for its time limits. */
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
    signal: AbortSignal.timeout(60_000),
  });
  return {
    status: response.status,
    body: await response.text(),
    retryAfter: response.headers.get("retry-after"),
  };
}

describe("a gateway", () => {
  it("stops on request when its database does not respond and a call is open", async () => {
    await expect.poll(async () => (await call()).status, { timeout: 20_000 }).toBe(200);
    proxy.silenceNew(true);
    proxy.silence();
    const open = call().catch(() => undefined);
    // The call has reached the gateway: it can only wait for the database.
    await sleep(1_000);
    gateway.process.kill("SIGTERM");
    const ended = await Promise.race([gateway.ended, sleep(110_000).then(() => "still running")]);
    expect(ended).not.toBe("still running");
    await open;
  }, 120_000);
});
