import { chmod, mkdtemp, rm } from "node:fs/promises";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startDemoUpstream } from "@gateway/demo/server";
import { audit } from "#domain/ledger/balances/audit.ts";
import { connect } from "#platform/database/db.ts";
import { startEmbeddedPostgres } from "#platform/database/embedded-postgres.ts";
import { root } from "#platform/places.ts";
import { readCommandLine } from "../command-line.ts";
import { furnish, isAlive, startNode, stopNode } from "../nodes.ts";
import { freePort } from "../processes.ts";
import { type Failure, send } from "./calls.ts";
import { proxies, type Proxy } from "./proxies.ts";

/**
 * pnpm verify:restart: two nodes behind a proxy are restarted in turn under load. No call may fail because of a
 * node.
 */
const { calls, clients, proxy, drain } = readCommandLine("pnpm verify:restart", {
  calls: { whole: 2_000, help: "calls in all" },
  clients: { whole: 24, help: "clients that call without a pause" },
  proxy: { oneOf: ["nginx", "caddy"], default: "nginx", help: "the proxy before the nodes" },
  drain: { whole: 2, help: "DRAIN_SECONDS of the nodes" },
});
const startProxy = proxies[proxy];

const NODES = 2;
/** Time between two restarts, in milliseconds: the proxy must have noticed that the first node is back. */
const PAUSE_MS = 2_000;

const folder = await mkdtemp(join(tmpdir(), "gateway-restart-"));
await chmod(folder, 0o755);
const closers: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
try {
  process.exitCode = (await run()) ? 0 : 1;
} finally {
  for (const closer of closers.reverse()) await closer().catch(console.error);
}
process.exit();

async function run(): Promise<boolean> {
  const upstream = await startDemoUpstream();
  closers.push(() => upstream.close());
  const dataDir = join(folder, "postgres");
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false, log: () => undefined });
  closers.push(() => postgres.stop());
  const ports = await Promise.all(Array.from({ length: NODES }, freePort));
  const pids: number[] = [];
  const main = join(root, "apps/server/dist/bundle/main.js");
  const start = async (index: number) => {
    const port = ports[index] ?? 0;
    const name = `node-${index}`;
    pids[index] = await startNode({
      main,
      folder,
      name,
      port,
      databaseUrl: postgres.url,
      drainSeconds: String(drain),
    });
  };
  closers.push(() => Promise.all(pids.map(async (pid) => (isAlive(pid) ? stopNode(pid) : undefined))));
  await start(0);
  await start(1);
  const database = connect(postgres.url, { max: 2 });
  closers.push(() => database.close());
  await database.pool.query("UPDATE user_groups SET api_rate = 100000000");
  await database.pool.query("SELECT pg_notify('gateway_changes', 'groups:0')");
  const key = await furnish(`http://127.0.0.1:${ports[0]}`, upstream.url);
  const port = await freePort();
  const proxy = await startProxy({ folder, port, nodes: ports });
  closers.push(() => proxy.close());

  const load = sendAll(`http://127.0.0.1:${port}`, key);
  let restarts = 0;
  while (!load.isDone()) {
    const index = restarts % NODES;
    await stopNode(pids[index] ?? 0);
    await start(index);
    restarts += 1;
    await Promise.race([load.done, sleep(PAUSE_MS)]);
  }
  const { drift } = await audit(database.pool);
  return report(proxy, await load.done, restarts, drift);
}

/** Sends all calls, each client one after the other on connections that it keeps. */
function sendAll(url: string, key: string) {
  const failures: Failure[] = [];
  let next = 0;
  let isDone = false;
  const client = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (next < calls) {
      const failure = await send(url, key, next++, agent);
      if (failure !== undefined) failures.push(failure);
    }
    agent.destroy();
  };
  const done = Promise.all(Array.from({ length: clients }, client)).then(() => {
    isDone = true;
    return failures;
  });
  return { done, isDone: () => isDone };
}

/** Prints the failed calls with their causes. Returns whether no node caused one. */
async function report(
  proxy: Proxy,
  failures: readonly Failure[],
  restarts: number,
  drift: bigint,
): Promise<boolean> {
  let ofNodes = 0;
  for (const failure of failures) {
    const reasons = await proxy.reasons(failure);
    const isOwn = reasons.some((reason) => proxy.isOwn(reason));
    if (!isOwn) ofNodes += 1;
    const cause = isOwn ? "caused by the proxy" : "caused by a node";
    console.log(`${failure.call} ${failure.what}\n  ${cause}: ${reasons.join("\n  ")}`);
  }
  if (ofNodes > 0) for (const message of await proxy.messages()) console.log(message);
  console.log(
    `${proxy.version}: ${failures.length} of ${calls} calls failed in ${restarts} restarts, ` +
      `${ofNodes} of them because of a node; drift of all balances: ${drift}`,
  );
  return ofNodes === 0 && drift === 0n;
}
