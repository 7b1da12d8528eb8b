import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { audit } from "#domain/ledger/balances/audit.ts";
import { tokensOf } from "#domain/pricing/estimate.ts";
import type { Database } from "#platform/database/db.ts";
import { addTo } from "#relay/core/billing/tally-text.ts";
import { openTestDatabase } from "#test/database.ts";
import { type GatewayProcess, killNodes, startGatewayProcess } from "#test/gateway-process.ts";

/** Long streams whose node is killed, or paused for longer than other nodes wait for it. */
let database: Database;
let dataDir: string;
let killed: GatewayProcess;
let paused: GatewayProcess;
let other: GatewayProcess;
const keys: { leased: string; limited: string } = { leased: "", limited: "" };

beforeAll(async () => {
  database = await openTestDatabase({ max: 2 });
  dataDir = await mkdtemp(join(tmpdir(), "gateway-checkpoints-"));
  const env = { DATABASE_URL: database.url, DATA_DIR: dataDir };
  killed = await startGatewayProcess(env);
  [paused, other] = await Promise.all([startGatewayProcess(env), startGatewayProcess(env)]);
  await killed.api("POST", "/channel", {
    type: 900,
    name: "demo",
    models: ["demo-chat"],
    groups: ["default"],
  });
  keys.leased = (await killed.api<{ key: string }>("POST", "/token", { name: "leased" })).key;
  const setting = { rates: { concurrency: 100 } };
  keys.limited = (await killed.api<{ key: string }>("POST", "/token", { name: "limited", setting })).key;
}, 180_000);
afterAll(async () => {
  await killNodes(killed, paused, other);
  await database.close();
  await rm(dataDir, { recursive: true, force: true });
});

const dialects = [
  {
    path: "/v1/chat/completions",
    body: (content: string) => ({
      model: "demo-chat",
      stream: true,
      messages: [{ role: "user", content }],
    }),
    error: /data: \{"error":/,
  },
  {
    path: "/v1/messages",
    body: (content: string) => ({
      model: "demo-chat",
      stream: true,
      max_tokens: 10_000,
      messages: [{ role: "user", content }],
    }),
    error: /event: error/,
  },
  {
    path: "/v1/responses",
    body: (input: string) => ({ model: "demo-chat", stream: true, input }),
    error: /event: (response\.failed|error)/,
  },
];

interface Streamed {
  requestId: string;
  path: string;
  error: RegExp;
  /** Received text, also of a response that was cut. */
  text: string;
  isCut: boolean;
}

/** Starts streams of some seconds, with a key whose calls use a lease and with one whose calls never do. */
async function streams(node: GatewayProcess, chunks: number): Promise<(() => Promise<Streamed>)[]> {
  const ends: (() => Promise<Streamed>)[] = [];
  for (const key of Object.values(keys))
    for (const { path, body, error } of dialects) {
      const response = await fetch(`${node.url}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(body(`[[length=${chunks}]] [[chunk-delay=100]]`)),
      });
      expect(response.status).toBe(200);
      const requestId = response.headers.get("x-request-id") ?? "";
      const reading = read(response);
      ends.push(async () => ({ requestId, path, error, ...(await reading) }));
    }
  return ends;
}

async function read(response: Response): Promise<Pick<Streamed, "text" | "isCut">> {
  let text = "";
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
    return { text, isCut: false };
  } catch {
    return { text, isCut: true };
  }
}

async function shortCalls(node: GatewayProcess, count: number): Promise<void> {
  for (let calls = 0; calls < count; calls += 1) {
    const response = await fetch(`${node.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${keys.leased}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "Hi" }] }),
    });
    await response.text();
    expect(response.status).toBe(200);
  }
}

/** Counts the words in the text that a client received. */
function tokensIn(text: string): number {
  const tally = { narrow: 0, wide: 0 };
  for (const [, messages] of text.matchAll(/"(?:content|text|delta)":("(?:[^"\\]|\\.)*")/g))
    addTo(tally, JSON.parse(messages ?? '""') as string);
  return tokensOf(tally);
}

interface Row {
  type: number;
  outcome: string;
  quota: bigint;
  prompt_tokens: bigint;
  completion_tokens: bigint;
  estimated: boolean;
  token_name: string;
  channel_id: number;
  is_stream: boolean;
  request_time: number;
  bill: object | null;
}

async function rowsOf(requestId: string): Promise<Row[]> {
  const { rows } = await database.pool.query<Row>("SELECT * FROM request_logs WHERE request_id = $1", [
    requestId,
  ]);
  return rows;
}

async function checkpointsOf(node: GatewayProcess): Promise<number> {
  const response = await fetch(`${node.url}/metrics`, {
    headers: { authorization: "root-access-token-of-a-process-of-its-own-012" },
  });
  return Number(/^gateway_checkpoints_total (\d+)/m.exec(await response.text())?.[1]);
}

/** Expects exactly one log row for a call, with what was delivered until its last checkpoint. */
async function expectInterrupted({ requestId, text, path }: Streamed): Promise<void> {
  await expect.poll(() => rowsOf(requestId), { timeout: 90_000, interval: 500 }).toHaveLength(1);
  const [row] = await rowsOf(requestId);
  expect(row, path).toMatchObject({
    type: 2,
    outcome: "interrupted",
    is_stream: true,
    token_name: expect.stringMatching(/leased|limited/),
  });
  expect(row?.channel_id).toBeGreaterThan(0);
  expect(row?.prompt_tokens).toBeGreaterThan(0n);
  expect(row?.quota).toBeGreaterThan(0n);
  expect(row?.bill).not.toBeNull();
  expect(row?.request_time).toBeGreaterThanOrEqual(5_000);
  const tokens = Number(row?.completion_tokens);
  expect(tokens, path).toBeGreaterThan(10);
  expect(tokens, path).toBeLessThanOrEqual(tokensIn(text));
}

async function expectRightBooks(): Promise<void> {
  await expect.poll(() => database.db.reservation.count(), { timeout: 60_000, interval: 500 }).toBe(0);
  expect(await audit(database.pool)).toMatchObject({ drift: 0n, rows: [] });
  const { rows } = await database.pool.query<{ twice: string }>(
    "SELECT request_id AS twice FROM request_logs GROUP BY 1 HAVING count(*) > 1",
  );
  expect(rows).toEqual([]);
}

it("long calls: are charged once up to their last checkpoint when their node dies or is paused", async () => {
  for (const node of [killed, paused]) await shortCalls(node, 6);
  const onKilled = await streams(killed, 150);
  const onPaused = await streams(paused, 150);
  await sleep(8_000);
  killed.process.kill("SIGKILL");
  paused.process.kill("SIGSTOP");
  await sleep(40_000);
  paused.process.kill("SIGCONT");
  for (const end of onKilled) {
    const streamed = await end();
    expect(streamed.isCut).toBe(true);
    await expectInterrupted(streamed);
  }
  for (const end of onPaused) {
    const streamed = await end();
    expect(streamed.text, streamed.path).toMatch(streamed.error);
    expect(streamed.text, streamed.path).toContain("gateway was interrupted");
    await expectInterrupted(streamed);
  }
  await expectRightBooks();
}, 240_000);

it("long calls: are charged by the provider's usage when they end, and short calls have no checkpoint", async () => {
  await shortCalls(other, 10);
  expect(await checkpointsOf(other)).toBe(0);
  const ended = await Promise.all((await streams(other, 120)).map((end) => end()));
  expect(await checkpointsOf(other)).toBeGreaterThanOrEqual(6);
  for (const { requestId, isCut, path } of ended) {
    expect(isCut).toBe(false);
    const rows = await rowsOf(requestId);
    expect(rows, path).toMatchObject([{ outcome: "complete", estimated: false, type: 2 }]);
    expect(rows[0]?.completion_tokens).toBeGreaterThanOrEqual(100n);
  }
  await expectRightBooks();
}, 120_000);
