import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { audit } from "#domain/ledger/balances/audit.ts";
import { connect, type Database } from "#platform/database/db.ts";
import type { TestDatabase } from "#test/database-copies.ts";
import { installedDatabase } from "#test/database.ts";
import { type GatewayProcess, killNodes, startGatewayProcess } from "#test/gateway-process.ts";
import { startTcpProxy, type TcpProxy } from "#test/tcp-proxy.ts";

/**
 * A database that is away while nodes rest. They look for work rarely and keep what they know, so they must notice what
 * they missed before they serve the next call.
 */
let place: TestDatabase;
let database: Database;
let dataDir: string;
/** Stays connected. */
let other: GatewayProcess;

interface Resting {
  node: GatewayProcess;
  proxy: TcpProxy;
  /** Ends, or hangs, the connections of the node, and those that it opens. */
  takeAway(): void;
  bringBack(): void;
}
const resting: Resting[] = [];

/** A node rests after a whole minute without a request. */
const RESTS_AFTER_MS = 125_000;

async function startResting(kind: "refused" | "silent"): Promise<void> {
  const proxy = await startTcpProxy(place.url);
  const node = await startGatewayProcess({ DATABASE_URL: proxy.url, DATA_DIR: dataDir });
  resting.push(
    kind === "refused"
      ? {
          node,
          proxy,
          takeAway() {
            proxy.refuseNew(true);
            proxy.cut();
          },
          bringBack: () => proxy.refuseNew(false),
        }
      : {
          node,
          proxy,
          takeAway() {
            proxy.silenceNew(true);
            proxy.silence();
          },
          // What is silent stays silent, as after the failure of a host.
          bringBack: () => proxy.silenceNew(false),
        },
  );
}

beforeAll(async () => {
  place = await installedDatabase();
  database = connect(place.url, { max: 2 });
  dataDir = await mkdtemp(join(tmpdir(), "gateway-resting-"));
  other = await startGatewayProcess({ DATABASE_URL: place.url, DATA_DIR: dataDir });
  await startResting("refused");
  await startResting("silent");
}, 180_000);
afterAll(async () => {
  await killNodes(other, ...resting.map(({ node }) => node));
  await Promise.all(resting.map(({ proxy }) => proxy.close()));
  await database.close();
  await place.drop();
  await rm(dataDir, { recursive: true, force: true });
});

async function call({ url }: GatewayProcess, key: string, model = "demo-chat"): Promise<number> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, max_tokens: 5, messages: [{ role: "user", content: "Hi" }] }),
    signal: AbortSignal.timeout(60_000),
  });
  await response.text();
  return response.status;
}

it("a resting node whose database was away refuses what was revoked meanwhile, knows what is new, and serves calls", async () => {
  const channel = { type: 900, groups: ["default"] };
  await other.api("POST", "/channel", { ...channel, name: "first", models: ["demo-chat"] });
  const create = async (name: string) =>
    other.api<{ id: number; key: string }>("POST", "/token", { name, unlimited_quota: true });
  const [kept, revoked] = await Promise.all([create("kept"), create("revoked")]);
  const nodes = resting.map(({ node }) => node);
  for (const node of nodes)
    for (const { key } of [kept, revoked]) await expect.poll(async () => call(node, key)).toBe(200);

  await sleep(RESTS_AFTER_MS);
  for (const { takeAway } of resting) takeAway();
  await other.api("DELETE", `/token/${revoked.id}`);
  await other.api("POST", "/channel", { ...channel, name: "second", models: ["demo-new"] });
  // Long enough for the heartbeat of a resting node to fail.
  await sleep(15_000);
  for (const { bringBack } of resting) bringBack();

  await Promise.all(
    nodes.map(async (node) => {
      const began = performance.now();
      const [first] = await Promise.all([
        statusesUntil(200, async () => call(node, kept.key)),
        statusesUntil(401, async () => call(node, revoked.key)),
        statusesUntil(200, async () => call(node, kept.key, "demo-new")),
      ]);
      console.info(`served again after ${Math.round(performance.now() - began)} ms: ${first.join(" ")}`);
    }),
  );
  for (const node of nodes) expect(node.process.exitCode).toBe(null);
  const open = async () => (await audit(database.pool)).drift;
  await expect.poll(open, { timeout: 60_000 }).toBe(0n);
});

/** Repeats a call until it returns this status. Until then it may only say that it cannot be served yet. */
async function statusesUntil(wanted: number, ask: () => Promise<number>): Promise<number[]> {
  const seen: number[] = [];
  const until = performance.now() + 30_000;
  while (seen.at(-1) !== wanted && performance.now() < until) {
    seen.push(await ask());
    if (seen.at(-1) !== wanted) await sleep(200);
  }
  const [last, before] = [seen.at(-1), seen.slice(0, -1)];
  // A model of a new channel is unknown until the node has read the channels.
  expect({ last, before: before.filter((status) => status !== 503 && status !== 404) }).toEqual({
    last: wanted,
    before: [],
  });
  return seen;
}
