import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { audit } from "#domain/ledger/balances/audit.ts";
import { connect, type Database } from "#platform/database/db.ts";
import { installedDatabase } from "#test/database.ts";
import { type GatewayProcess, startGatewayProcess } from "#test/gateway-process.ts";
import { startTcpProxy, type TcpProxy } from "#test/tcp-proxy.ts";

/** A gateway in a process of its own that reaches its database through a proxy, which the test can silence. */
export interface ProxiedGateway {
  gateway: GatewayProcess;
  proxy: TcpProxy;
  /** The same database, not through the proxy. */
  database: Database;
  /** Sends a short call. */
  call(presentedKey?: string): Promise<{ status: number; retryAfter: string | null }>;
  /** Kills the gateway and compares its balances with its ledger. */
  close(): Promise<void>;
}

export async function startProxiedGateway(): Promise<ProxiedGateway> {
  const place = await installedDatabase();
  const database = connect(place.url, { max: 4 });
  const proxy = await startTcpProxy(place.url);
  const dataDir = await mkdtemp(join(tmpdir(), "gateway-silent-"));
  const gateway = await startGatewayProcess({ DATABASE_URL: proxy.url, DATA_DIR: dataDir });
  await gateway.api("POST", "/channel", {
    type: 900,
    name: "demo",
    models: ["demo-chat"],
    groups: ["default"],
  });
  const { key } = await gateway.api<{ key: string }>("POST", "/token", { name: "t" });
  return {
    gateway,
    proxy,
    database,
    async call(presentedKey = key) {
      const response = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${presentedKey}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "Hi" }] }),
        // The limit of a statement is five minutes: a call that waits for it fails here.
        signal: AbortSignal.timeout(60_000),
      });
      await response.text();
      return { status: response.status, retryAfter: response.headers.get("retry-after") };
    },
    async close() {
      gateway.process.kill("SIGKILL");
      await gateway.ended;
      await proxy.close();
      const drift = (await audit(database.pool)).rows.filter(({ what }) => !what.endsWith("reserved"));
      await database.close();
      await place.drop();
      await rm(dataDir, { recursive: true, force: true });
      expect(drift).toEqual([]);
    },
  };
}
