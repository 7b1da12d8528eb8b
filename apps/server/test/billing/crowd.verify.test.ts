import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { WebSocket } from "ws";
import { audit } from "#domain/ledger/balances/audit.ts";
import { bookCharges } from "#domain/ledger/bookings/book-charges.ts";
import { deriveKey } from "#domain/tokens/derived-keys/derived-key.ts";
import { connect, type Database } from "#platform/database/db.ts";
import type { TestDatabase } from "#test/database-copies.ts";
import { installedDatabase } from "#test/database.ts";
import { type GatewayProcess, killNodes, startGatewayProcess } from "#test/gateway-process.ts";
import { testSecretKey } from "#test/gateway.ts";
import { startMcpServer, type TestMcpServer, textResult } from "#test/mcp-servers.ts";
import { type ScriptedServer, startScriptedServer } from "#test/scripted-servers.ts";

/**
 * A thousand parallel calls of every kind, also at quoted prices, with several keys of an account, at two nodes of which one
 * is killed. Every call costs the same, so that the number of responses shows what was spent.
 */
const perCall = 1_000;
const dollars = perCall / 500_000;
let place: TestDatabase;
let database: Database;
let dataDir: string;
let tools: TestMcpServer;
let engine: ScriptedServer;
let worker: ScriptedServer;
let first: GatewayProcess;
let second: GatewayProcess;
let user = 0;
let keys: string[] = [];

const env = () => ({
  DATABASE_URL: place.url,
  DATA_DIR: dataDir,
  SECRET_KEY: testSecretKey,
  DEMO_UPSTREAM: "true",
  API_RATE_LIMIT: "100000",
});

beforeAll(async () => {
  place = await installedDatabase();
  database = connect(place.url, { max: 2 });
  dataDir = await mkdtemp(join(tmpdir(), "gateway-crowd-"));
  engine = await startScriptedServer();
  engine.play(() => ({ json: { results: [{ url: "https://example.com", title: "Tea", content: "Tea" }] } }));
  worker = await startScriptedServer();
  worker.play(({ method }) => ({
    json: {
      id: `resp_${crypto.randomUUID().replaceAll("-", "")}`,
      object: "response",
      status: method === "POST" ? "queued" : "completed",
      background: true,
      model: "worker",
      output: [],
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    },
  }));
  tools = await startMcpServer({ handlers: { ping: () => textResult("pong") } });
  second = await startGatewayProcess(env());
  const groups = ["default"];
  const demo = ["demo-chat", "demo-embed", "demo-image", "demo-tts", "demo-realtime", "suno_lyrics"];
  await second.api("POST", "/channel", { type: 900, name: "demo", key: "k", groups, models: demo });
  const background = { type: 1, name: "worker", key: "k", groups, models: ["worker"], base_url: worker.url };
  await second.api("POST", "/channel", background);
  for (const model of [...demo, "worker"]) {
    const price = { model, type: "times", channel_type: 1, input: 1, output: 1 };
    await second
      .api("POST", "/prices/single", price)
      .catch(() => second.api("PUT", `/prices/single/${model}`, price));
  }
  // Only its searches cost something.
  const searching = { model: "searcher", type: "times", channel_type: 1, input: 0, output: 0 };
  await second.api("POST", "/prices/single", searching);
  await second.api("POST", "/channel", {
    type: 900,
    name: "searcher",
    key: "k",
    groups,
    models: ["searcher"],
  });
  const server = { name: "tools", url: tools.url, price: dollars, private_address: true };
  const { id } = await second.api<{ id: number }>("POST", "/mcp_server", server);
  await second.api("POST", "/mcp_bundle", { name: "work", servers: [id] });
  const values = { WebSearchEngine: "searxng", WebSearchAddress: engine.url, WebSearchPrice: dollars };
  await second.api("PUT", "/option/batch", { values });
  const { data } = await second.api<{ data: { id: number }[] }>("GET", "/user_group");
  for (const group of data) await second.api("PUT", `/user_group/${group.id}`, { api_rate: 1_000_000 });
}, 120_000);
afterAll(async () => {
  await killNodes(second);
  await Promise.all([tools.close(), engine.close(), worker.close(), database.close()]);
  await place.drop();
  await rm(dataDir, { recursive: true, force: true });
});

let people = 0;
beforeEach(async () => {
  people += 1;
  const owner = { username: `crowd-${people}`, password: "correct horse battery", display_name: "" };
  ({ id: user } = await second.api<{ id: number }>("POST", "/user", owner));
  const { quota } = await second.api<{ quota: number }>("GET", `/user/${user}`);
  if (quota > 0) await second.api("POST", `/user/quota/${user}`, { quota: -quota, remark: "empty" });
  keys = [];
  for (const name of ["one", "other"]) {
    const { key } = await second.api<{ key: string }>("POST", "/token/admin", { user_id: user, name });
    const exp = Math.floor(Date.now() / 1_000) + 3_600;
    keys.push(key, deriveKey(key, { exp, usd: "1" }).key);
  }
  first = await startGatewayProcess(env());
});

const say = { role: "user", content: "Hello" };

type Call = readonly [path: string, body: object];

const quotedCall: Call = ["/v1/chat/completions", { model: "demo-chat", messages: [say] }];

/** Each kind of call: its path and body. */
const calls: readonly Call[] = [
  quotedCall,
  ["/v1/chat/completions", { model: "demo-chat", messages: [say], stream: true }],
  ["/v1/messages", { model: "demo-chat", max_tokens: 50, messages: [say] }],
  ["/v1/responses", { model: "demo-chat", input: "Hello" }],
  ["/v1/responses", { model: "worker", input: "Hello", background: true }],
  ["/v1beta/models/demo-chat:generateContent", { contents: [{ role: "user", parts: [{ text: "Hello" }] }] }],
  ["/v1/embeddings", { model: "demo-embed", input: "Hello" }],
  ["/v1/images/generations", { model: "demo-image", prompt: "Tea" }],
  ["/v1/audio/speech", { model: "demo-tts", input: "Tea", voice: "alloy" }],
  ["/suno/submit/lyrics", { prompt: "Tea" }],
  ["/mcp/work", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "tools__ping" } }],
  ["/v1/alpha/search", { model: "searcher", commands: { search_query: [{ q: "tea" }] } }],
];

const failed = /"error"|insufficient|balance|"code":\s*-3/i;

/** Returns whether the call was served completely. */
async function isServed(node: GatewayProcess, index: number): Promise<boolean> {
  const key = keys[index % keys.length] ?? "";
  // Two kinds more than the list: a realtime session, and a call with a quote.
  const kind = index % (calls.length + 2);
  const call = calls[kind];
  try {
    if (call !== undefined) {
      await send(node, key, call);
      return true;
    }
    return kind === calls.length ? await speaks(node, key) : await isServedAtQuote(node, key);
  } catch {
    // The node was killed, or refused the call.
    return false;
  }
}

let quotesUsedTwice = 0;

/** Returns whether one of two calls with one quote was served, each at another node. */
async function isServedAtQuote(node: GatewayProcess, key: string): Promise<boolean> {
  const [path, body] = quotedCall;
  const { id } = JSON.parse(await send(node, key, [`/v1/quote${path}`, body])) as { id: string };
  const outcomes = await Promise.allSettled(
    [first, second].map((at) => send(at, key, quotedCall, { "x-quote-id": id })),
  );
  const served = outcomes.filter(({ status }) => status === "fulfilled").length;
  if (served > 1) quotesUsedTwice += 1;
  return served > 0;
}

/** Returns the response. Throws for a refusal. */
async function send(
  node: GatewayProcess,
  key: string,
  [path, body]: Call,
  headers: Record<string, string> = {},
): Promise<string> {
  const response = await fetch(node.url + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify(body),
  });
  const text = Buffer.from(await response.arrayBuffer()).toString("latin1");
  if (!response.ok || failed.test(text)) throw new Error(text);
  return text;
}

/** Returns whether a realtime session gets a response. */
async function speaks(node: GatewayProcess, key: string): Promise<boolean> {
  const socket = new WebSocket(`${node.url.replace("http", "ws")}/v1/realtime?model=demo-realtime`, {
    headers: { authorization: `Bearer ${key}` },
  });
  socket.on("error", () => {});
  let text = "";
  socket.on("message", (bytes: Buffer) => {
    const event = bytes.toString();
    text += event;
    if (event.includes("session.created")) socket.send(JSON.stringify({ type: "response.create" }));
    if (event.includes('"response.done"')) socket.close();
  });
  await once(socket, "close").catch(() => {});
  return text.includes('"response.done"');
}

async function balance() {
  await bookCharges(database.db);
  const { rows } = await database.pool.query<{ quota: bigint; reserved: bigint; used_quota: bigint }>(
    "SELECT quota, reserved, used_quota FROM users WHERE id = $1",
    [user],
  );
  return rows[0]!;
}

it.each([1, 20])(
  "a balance for %i of a thousand calls is never exceeded, also when a node is killed",
  async (affordable) => {
    await second.api("POST", `/user/quota/${user}`, { quota: affordable * perCall, remark: "calls" });
    let ended = 0;
    const outcomes = Array.from({ length: 1_000 }, async (_, index) => {
      const isDone = await isServed(index % 2 === 0 ? first : second, index);
      ended += 1;
      if (ended === 300) first.process.kill("SIGKILL");
      return isDone;
    });
    const served = (await Promise.all(outcomes)).filter(Boolean).length;
    await killNodes(first);
    // The other node releases what the killed one had reserved.
    await expect.poll(async () => (await balance()).reserved, { timeout: 120_000, interval: 500 }).toBe(0n);
    const { rows } = await database.pool.query<{ charged: bigint }>(
      "SELECT sum(quota)::bigint AS charged FROM request_logs WHERE user_id = $1 AND type = 2 AND quota > 0",
      [user],
    );
    const charged = Number(rows[0]?.charged ?? 0n);
    expect(served * perCall).toBeLessThanOrEqual(charged);
    expect(charged).toBeLessThanOrEqual(affordable * perCall);
    await expect.poll(async () => Number((await balance()).quota)).toBe(affordable * perCall - charged);
    expect(quotesUsedTwice).toBe(0);
    // What the killed node had reserved can be spent again.
    expect(await isServed(second, 0)).toBe(charged < affordable * perCall);
    expect((await audit(database.pool)).drift).toBe(0n);
  },
  300_000,
);
