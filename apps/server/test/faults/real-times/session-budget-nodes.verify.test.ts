import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { audit } from "#domain/ledger/balances/audit.ts";
import type { Database } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";
import { type GatewayProcess, startGatewayProcess } from "#test/gateway-process.ts";

/** The budget of a session that sub-agents share on two nodes, of which one is killed during their calls. */
const SESSION = "agents-on-two-nodes";
const BUDGET_USD = 0.4;
const BUDGET = 200_000;
let database: Database;
let dataDir: string;
let killed: GatewayProcess;
let other: GatewayProcess;
let key: string;
/** Ends the watching of the sums, also after a failure. */
const over = new AbortController();

beforeAll(async () => {
  database = await openTestDatabase({ max: 3 });
  dataDir = await mkdtemp(join(tmpdir(), "gateway-session-budget-"));
  const env = { DATABASE_URL: database.url, DATA_DIR: dataDir };
  killed = await startGatewayProcess(env);
  other = await startGatewayProcess(env);
  await killed.api("POST", "/channel", {
    type: 900,
    name: "demo",
    models: ["demo-chat"],
    groups: ["default"],
  });
  const price = { model: "demo-chat", type: "tokens", channel_type: 900, input: 100, output: 100 };
  await killed.api("PUT", "/prices/single/demo-chat", price);
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

/** Makes one call of an agent. Returns its status; 0 if the connection broke. */
async function call(node: GatewayProcess, agent: string, chunks: number): Promise<number> {
  try {
    const response = await fetch(`${node.url}/v1/messages`, {
      method: "POST",
      headers: {
        "x-api-key": key,
        "anthropic-version": "2023-06-01",
        "content-type": "application/json",
        "x-claude-code-session-id": SESSION,
        "x-claude-code-agent-id": agent,
        "x-session-budget": String(BUDGET_USD),
      },
      body: JSON.stringify({
        model: "demo-chat",
        stream: true,
        max_tokens: chunks,
        messages: [{ role: "user", content: `[[length=${chunks}]] [[chunk-delay=100]]` }],
      }),
    });
    await response.text();
    return response.status;
  } catch {
    return 0;
  }
}

interface Sums {
  spent: number;
  reserved: number;
}

async function sums(): Promise<Sums> {
  const { rows } = await database.pool.query<{ spent: bigint; reserved: bigint }>(
    "SELECT spent, reserved FROM session_budgets",
  );
  return { spent: Number(rows[0]?.spent ?? 0), reserved: Number(rows[0]?.reserved ?? 0) };
}

/** Returns the points of the session's charged calls, by the log. */
async function charged(): Promise<number> {
  const { rows } = await database.pool.query<{ points: bigint | null }>(
    "SELECT sum(quota) AS points FROM request_logs WHERE session ->> 'id' = $1 AND type = 2",
    [SESSION],
  );
  return Number(rows[0]?.points ?? 0);
}

it("is never exceeded, and what the killed node reserved can be spent again", async () => {
  const seen: Sums[] = [];
  const watching = (async () => {
    while (!over.signal.aborted) {
      seen.push(await sums());
      await sleep(100);
    }
  })();
  // Calls of 8 seconds, so that the killed node has written checkpoints.
  const first = Array.from({ length: 10 }, (_, n) => call(n % 2 === 0 ? killed : other, `agent-${n}`, 80));
  await sleep(7_000);
  killed.process.kill("SIGKILL");
  const statuses = await Promise.all(first);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(5);
  // The agents continue on the other node, until the budget does not cover another call: 429 while open calls
  // have reserved the rest of it, 402 when it has been spent.
  let refused = 0;
  while (refused < 6) {
    const found = await Promise.all(Array.from({ length: 3 }, (_, n) => call(other, `agent-${n}`, 20)));
    for (const status of found) expect([200, 402, 429]).toContain(status);
    refused += found.filter((status) => status !== 200).length;
  }
  await expect.poll(() => database.db.reservation.count(), { timeout: 90_000, interval: 500 }).toBe(0);
  let last = 200;
  while (last === 200) last = await call(other, "agent-0", 20);
  expect(last).toBe(402);
  over.abort();
  await watching;
  expect(seen.some(({ reserved }) => reserved > 0)).toBe(true);
  for (const { spent, reserved } of seen) expect(spent + reserved).toBeLessThanOrEqual(BUDGET);
  const end = await sums();
  expect(end.reserved).toBe(0);
  await expect.poll(charged).toBe(end.spent);
  // Another call would have exceeded it.
  expect(end.spent).toBeGreaterThan(BUDGET / 2);
  const { rows } = await database.pool.query<{ outcome: string }>(
    "SELECT outcome FROM request_logs WHERE session ->> 'id' = $1 AND outcome = 'interrupted'",
    [SESSION],
  );
  expect(rows.length).toBeGreaterThanOrEqual(1);
  expect(await audit(database.pool)).toMatchObject({ drift: 0n, rows: [] });
}, 240_000);
