import { chmod, mkdtemp, rm } from "node:fs/promises";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startDemoUpstream } from "@gateway/demo/server";
import { audit } from "#domain/ledger/balances/audit.ts";
import { connect, type Database } from "#platform/database/db.ts";
import { startEmbeddedPostgres } from "#platform/database/embedded-postgres.ts";
import { root } from "#platform/places.ts";
import { readCommandLine } from "../command-line.ts";
import { furnish, isAlive, startNode, stopNode } from "../nodes.ts";
import { freePort } from "../processes.ts";
import { type Failure, send } from "../restart/calls.ts";
import { buildPrevious } from "./previous-version.ts";

/**
 * pnpm verify:upgrade: two nodes of the previous version are replaced by this one, one after the other, under load of
 * charged calls. Then the previous version runs alone on the new schema. No call may fail, each is charged once, and
 * the drift must be 0.
 */
const options = readCommandLine("pnpm verify:upgrade", {
  clients: { whole: 12, help: "clients that call without a pause" },
  seconds: { whole: 10, help: "seconds of each phase" },
});
const phaseMs = options.seconds * 1_000;

const folder = await mkdtemp(join(tmpdir(), "gateway-upgrade-"));
await chmod(folder, 0o755);
const closers: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
try {
  process.exitCode = (await run()) ? 0 : 1;
} finally {
  for (const closer of closers.reverse()) await closer().catch(console.error);
}
process.exit();

async function run(): Promise<boolean> {
  const previous = buildPrevious(folder);
  const current = join(root, "apps/server/dist/bundle/main.js");
  const upstream = await startDemoUpstream();
  closers.push(() => upstream.close());
  const dataDir = join(folder, "postgres");
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false, log: () => undefined });
  closers.push(() => postgres.stop());
  const ports = [await freePort(), await freePort()];
  const pids: number[] = [];
  closers.push(() => Promise.all(pids.map(async (pid) => (isAlive(pid) ? stopNode(pid) : undefined))));
  const start = async (index: number, main: string, name: string) => {
    const options = { main, folder, name, port: ports[index] ?? 0, databaseUrl: postgres.url };
    pids[index] = await startNode(options);
  };
  await start(0, previous.main, "previous-0");
  await start(1, previous.main, "previous-1");
  const database = connect(postgres.url, { max: 2 });
  closers.push(() => database.close());
  await database.pool.query("UPDATE user_groups SET api_rate = 100000000");
  await database.pool.query("SELECT pg_notify('gateway_changes', 'groups:0')");
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const key = await furnish(urls[0] ?? "", upstream.url);
  const load = sendCalls(urls, key);
  let isGood = true;
  const phase = async (name: string) => {
    await sleep(phaseMs);
    isGood = (await report(name, load.take(), database)) && isGood;
  };
  const replace = async (index: number, main: string, name: string) => {
    // As a load balancer does: no new calls before the node stops.
    load.rest(index);
    await stopNode(pids[index] ?? 0);
    await start(index, main, name);
    load.resume(index);
  };

  // The audit reads the schema of this version, which is not there yet.
  await sleep(phaseMs);
  isGood = await report(`two nodes of ${previous.version}`, load.take(), undefined);
  await replace(0, current, "current-0");
  await phase(`${previous.version} beside this version, on its schema`);
  await replace(1, current, "current-1");
  await phase("two nodes of this version");
  await replace(0, previous.main, "previous-2");
  load.rest(1);
  await stopNode(pids[1] ?? 0);
  await phase(`${previous.version} alone on the new schema`);
  await load.stop();
  const sent = load.total();
  const { rows } = await database.pool.query<{ calls: bigint }>(
    "SELECT count(*) AS calls FROM request_logs WHERE type = 2",
  );
  const charged = Number(rows[0]?.calls ?? 0n);
  const { drift } = await audit(database.pool);
  console.log(`${sent} calls were complete, ${charged} were charged; drift of all balances: ${drift}`);
  return isGood && (await report("the end", load.take(), database)) && sent === charged;
}

/** Prints what failed in a phase, and the drift of its balances. Returns whether nothing failed. */
async function report(
  name: string,
  { complete, failures }: { complete: number; failures: readonly Failure[] },
  database: Database | undefined,
): Promise<boolean> {
  const drift = database === undefined ? 0n : (await audit(database.pool)).drift;
  const balances = database === undefined ? "" : `, drift ${drift}`;
  console.log(`${name}: ${complete} calls, ${failures.length} failed${balances}`);
  for (const { call, what } of failures.slice(0, 20)) console.log(`  ${call} ${what}`);
  return failures.length === 0 && drift === 0n;
}

/** Clients that call the nodes which do not rest, one call after the other. */
function sendCalls(urls: readonly string[], key: string) {
  const resting = new Set<number>();
  let failures: Failure[] = [];
  let complete = 0;
  let total = 0;
  let next = 0;
  const stopping = new AbortController();
  const client = async () => {
    const agents = urls.map(() => new Agent({ keepAlive: true, maxSockets: 1 }));
    while (!stopping.signal.aborted) {
      const serving = urls.map((_, index) => index).filter((index) => !resting.has(index));
      const index = serving[next % serving.length] ?? 0;
      const failure = await send(urls[index] ?? "", key, next++, agents[index]!);
      if (failure === undefined) {
        complete += 1;
        total += 1;
      } else failures.push(failure);
    }
    for (const agent of agents) agent.destroy();
  };
  const done = Promise.all(Array.from({ length: options.clients }, client));
  return {
    rest: (index: number) => void resting.add(index),
    resume: (index: number) => void resting.delete(index),
    /** Returns what has happened since the last time. */
    take() {
      const taken = { complete, failures };
      complete = 0;
      failures = [];
      return taken;
    },
    total: () => total,
    async stop() {
      stopping.abort();
      await done;
    },
  };
}
