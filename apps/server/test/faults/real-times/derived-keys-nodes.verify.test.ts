import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { audit } from "#domain/ledger/balances/audit.ts";
import { deriveKey } from "#domain/tokens/derived-keys/derived-key.ts";
import type { Database } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";
import { type GatewayProcess, startGatewayProcess } from "#test/gateway-process.ts";

/** A thousand keys, derived from one key with one dollar, on two nodes, of which one is killed during their calls. */
const DOLLAR = 500_000;
/** Points of a call, by the price per call below. */
const CALL = 1_000;
const KEYS = 1_000;
let database: Database;
let dataDir: string;
let killed: GatewayProcess;
let other: GatewayProcess;
let key: string;
/** Ends the watching of the sums, also after a failure. */
const over = new AbortController();

beforeAll(async () => {
  database = await openTestDatabase({ max: 3 });
  dataDir = await mkdtemp(join(tmpdir(), "gateway-derived-keys-"));
  const env = { DATABASE_URL: database.url, DATA_DIR: dataDir };
  killed = await startGatewayProcess(env);
  other = await startGatewayProcess(env);
  await database.pool.query("UPDATE user_groups SET api_rate = 1000000");
  await killed.api("POST", "/channel", {
    type: 900,
    name: "demo",
    models: ["demo-chat"],
    groups: ["default"],
  });
  const price = { model: "demo-chat", type: "times", channel_type: 900, input: 1, output: 1 };
  await killed.api("PUT", "/prices/single/demo-chat", price);
  await database.pool.query("SELECT pg_notify('gateway_changes', 'groups:0')");
  ({ key } = await killed.api<{ key: string }>("POST", "/token", { name: "agents", unlimited_quota: true }));
  // The other node hears of the channel a moment later.
  const models = async () =>
    (await fetch(`${other.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).text();
  await vi.waitFor(async () => expect(await models()).toContain("demo-chat"), { timeout: 30_000 });
}, 180_000);
afterAll(async () => {
  over.abort();
  for (const node of [killed, other]) {
    node.process.kill("SIGKILL");
    await node.ended;
  }
  await database.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** Makes one call. Returns its status; 0 if the connection broke. */
async function call(node: GatewayProcess, apiKey: string): Promise<number> {
  try {
    const response = await fetch(`${node.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "Hi" }] }),
    });
    await response.text();
    return response.status;
  } catch {
    return 0;
  }
}

it("one dollar is spent by a thousand derived keys, exactly, on two nodes of which one is killed", async () => {
  const exp = Math.floor(Date.now() / 1_000) + 3_600;
  const planner = deriveKey(key, { usd: "1.00", exp, label: "planner" });
  const workers = Array.from({ length: KEYS }, (_, n) =>
    deriveKey(planner.key, { usd: "0.01", label: `worker ${n}` }),
  );
  const stateOf = async () => {
    const row = await database.db.derivedKey.findUnique({ where: { id: planner.id } });
    return { spent: Number(row?.spent ?? 0), reserved: Number(row?.reserved ?? 0) };
  };
  const seen: { spent: number; reserved: number }[] = [];
  const watching = (async () => {
    while (!over.signal.aborted) {
      seen.push(await stateOf());
      await sleep(50);
    }
  })();
  const statuses: number[] = [];
  const rest = workers.values();
  const run = async (n: number) => {
    for (const worker of rest) {
      const status = await call(n % 2 === 0 ? killed : other, worker.key);
      statuses.push(status);
      // As a load balancer does, continue on the node that responds.
      if (status === 0) return;
      if (statuses.length === 150) killed.process.kill("SIGKILL");
    }
  };
  await Promise.all(Array.from({ length: 40 }, (_, n) => run(n)));
  for (const status of statuses) expect([0, 200, 402, 429]).toContain(status);
  // What the killed node has reserved is released, and can be spent.
  await expect.poll(() => database.db.reservation.count(), { timeout: 90_000, interval: 500 }).toBe(0);
  let last = 200;
  while (last === 200) last = await call(other, deriveKey(planner.key, {}).key);
  expect(last).toBe(402);
  over.abort();
  await watching;
  expect(seen.some(({ reserved }) => reserved > 0)).toBe(true);
  for (const { spent, reserved } of seen) expect(spent + reserved).toBeLessThanOrEqual(DOLLAR);
  expect(await stateOf()).toEqual({ spent: DOLLAR, reserved: 0 });
  const { rows } = await database.pool.query<{ points: bigint }>(
    "SELECT sum(quota) AS points FROM request_logs WHERE type = 2",
  );
  expect(Number(rows[0]?.points)).toBe(DOLLAR);
  expect(DOLLAR % CALL).toBe(0);
  expect(await audit(database.pool)).toMatchObject({ drift: 0n, rows: [] });
}, 240_000);
