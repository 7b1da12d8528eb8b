import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "#platform/database/db.ts";
import { managementApi } from "../management-api.ts";
import { send } from "../restart/calls.ts";

export const accessToken = "monitoring-access-token-monitoring-access";

/** Keys of calls that succeed, of calls to a channel that fails, and of an exhausted token. */
interface Keys {
  good: string;
  exhausted: string;
}

const groups = ["default"];

/** Creates a channel that works and one that is used for failures, prices and tokens. */
export async function furnish(node: string, upstream: string): Promise<Keys> {
  const api = managementApi(node, accessToken);
  const channel = { type: 8, base_url: upstream, key: "key", groups };
  await api("POST", "/channel", { ...channel, name: "works", models: ["demo-chat"] });
  await api("POST", "/channel", { ...channel, name: "fails", models: ["demo-chat-mini"] });
  const { id } = await api<{ id: number }>("GET", "/user/self");
  await api("POST", `/user/quota/${id}`, { quota: 1_000_000_000, remark: "monitoring" });
  const token = (name: string, more: object) => api<{ key: string }>("POST", "/token", { name, ...more });
  const [good, exhausted] = [
    await token("good", { unlimited_quota: true }),
    await token("exhausted", { unlimited_quota: false, remain_quota: 0 }),
  ];
  return { good: good.key, exhausted: exhausted.key };
}

/** What a call to the simulated provider asks for, and its model. */
const special: readonly [text: string, model: string][] = [
  ["[[status=401]]", "demo-chat-mini"],
  ["[[status=429]]", "demo-chat-mini"],
  ["[[status=500]]", "demo-chat-mini"],
  ["[[input=500]] [[cached=100]] [[cache-write=50]] [[output=7]]", "demo-chat"],
  // Longer than five seconds, after which a call has a checkpoint.
  ["[[length=40]] [[chunk-delay=300]]", "demo-chat"],
];
const PAUSE_MS = 1_000;
const TIMEOUT_MS = 60_000;

/**
 * Sends calls of every dialect, calls that fail in all the ways that have a metric, reads the log as its screen does, and
 * has a change of settings that cannot be loaded, until `seconds` have passed.
 */
export async function applyLoad(
  node: string,
  keys: Keys,
  { database, seconds }: { database: Database; seconds: number },
): Promise<void> {
  const end = Date.now() + seconds * 1_000;
  const isOver = () => Date.now() > end;
  await Promise.all([
    ...[0, 1, 2].map((client) => sendOrdinary(node, keys.good, client, isOver)),
    ...special.map(([text, model]) => repeat(() => call(node, keys.good, text, model), isOver)),
    repeat(() => call(node, keys.exhausted, "hello", "demo-chat"), isOver),
    repeat(() => readLog(node), isOver),
    withoutPrices(database, seconds),
  ]);
}

async function sendOrdinary(node: string, key: string, client: number, isOver: () => boolean): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let number = client; !isOver(); number += 1) {
    const failure = await send(node, key, number, agent);
    if (failure !== undefined) throw new Error(`A call failed: ${failure.what}`);
    await sleep(20);
  }
  agent.destroy();
}

async function repeat(work: () => Promise<void>, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await work();
    await sleep(PAUSE_MS);
  }
}

async function call(node: string, key: string, content: string, model: string): Promise<void> {
  const body = { model, stream: true, messages: [{ role: "user", content }] };
  const response = await fetch(`${node}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.text();
}

/** Reads a list that the replica serves. */
async function readLog(node: string): Promise<void> {
  await managementApi(node, accessToken)("GET", "/log?size=20");
}

/** Nodes cannot load the announced change of prices until the end. Calls use the prices that are loaded. */
async function withoutPrices({ pool }: Database, seconds: number): Promise<void> {
  await pool.query("ALTER TABLE prices RENAME TO prices_away");
  try {
    await pool.query("SELECT pg_notify('gateway_changes', 'prices:0')");
    await sleep(seconds * 1_000);
  } finally {
    await pool.query("ALTER TABLE prices_away RENAME TO prices");
  }
}
