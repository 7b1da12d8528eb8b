/**
 * `pnpm bench:states`: what a gateway costs in the states it is in most of the time: just started, at rest, and with
 * streams open after a load. Each row is measured on a process of its own, beside the bare pass-through. Linux only.
 */
import { readdirSync, readFileSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { startEmbeddedPostgres } from "#platform/database/embedded-postgres.ts";
import { startGateway } from "../calls/gateway.ts";
import { residentOf } from "../calls/idle-streams.ts";
import type { LoadOrder, LoadResult } from "../calls/load.ts";
import { type LoadName, scenarioOf } from "../calls/scenarios.ts";
import { readCommandLine } from "../command-line.ts";
import { cpuOf, runToEnd, type Started, startServer, stopAll } from "../processes.ts";

const options = readCommandLine("pnpm bench:states", {
  rounds: { whole: 3, help: "rounds per row; the table shows their median" },
  rest: { whole: 60, help: "seconds of rest that are measured" },
  main: { text: "", help: "main.ts or bundle of another checkout, in place of this one" },
});
const PROVIDER_KEY = "demo-fast";
/** After this time without a call, a gateway is at rest. */
const SETTLE_MS = 75_000;
const STARTED_SECONDS = 20;
const LOADED_SECONDS = 8;

interface Process extends Started {
  key: string;
  translates: boolean;
}

const callsFolder = join(import.meta.dirname, "../calls");
const folder = await mkdtemp(join(tmpdir(), "gateway-states-"));
// Postgres runs as another user when this process is root, and needs access to the folder.
await chmod(folder, 0o755);

async function load(target: Process, scenario: LoadName, seconds: number): Promise<LoadResult> {
  const { connections } = scenarioOf(scenario);
  const { url, key, translates } = target;
  const order: LoadOrder = { urls: [url], key, scenario, translates, connections, seconds };
  const result = JSON.parse(
    await runToEnd([join(callsFolder, "load.ts"), JSON.stringify(order)], folder, "load"),
  ) as LoadResult;
  if (result.failed > 0) throw new Error(`${result.failed} calls failed, first with ${result.firstFailure}`);
  return result;
}

interface Snapshot {
  at: number;
  cpu: number;
  /** Voluntary context switches of all threads. */
  switches: number;
  transactions: number;
}

async function snapshot(pid: number, client: pg.Client): Promise<Snapshot> {
  const switches = readdirSync(`/proc/${pid}/task`).map((task) => {
    const status = readFileSync(`/proc/${pid}/task/${task}/status`, "utf8");
    return Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  });
  const { rows } = await client.query<{ count: string }>(
    "SELECT xact_commit AS count FROM pg_stat_database WHERE datname = current_database()",
  );
  return {
    at: performance.now(),
    cpu: cpuOf(pid) ?? 0,
    switches: switches.reduce((sum, count) => sum + count, 0),
    transactions: Number(rows[0]?.count ?? 0),
  };
}

async function measureRest(pid: number, databaseUrl: string): Promise<Record<string, number>> {
  await sleep(SETTLE_MS);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const before = await snapshot(pid, client);
    await sleep(options.rest * 1_000);
    const after = await snapshot(pid, client);
    const seconds = (after.at - before.at) / 1_000;
    return {
      "rest: CPU ms per s": (after.cpu - before.cpu) / seconds,
      "rest: wake-ups per s": (after.switches - before.switches) / seconds,
      // The snapshot itself is one.
      "rest: transactions per min": ((after.transactions - before.transactions - 1) / seconds) * 60,
    };
  } finally {
    await client.end();
  }
}

/** @param start starts a new process of the target */
async function measure(start: () => Promise<Process>, databaseUrl?: string): Promise<Record<string, number>> {
  const row: Record<string, number> = {};
  const started = await start();
  row["started: MB"] = residentOf(started.pid) ?? 0;
  const cpu = cpuOf(started.pid) ?? 0;
  const calls = await load(started, "started", STARTED_SECONDS);
  row["started: p50 ms"] = calls.p50;
  row["started: CPU ms per call"] = ((cpuOf(started.pid) ?? 0) - cpu) / calls.requests;
  await load(started, "plain", LOADED_SECONDS);
  const memory = watchMemory(started.pid);
  await load(started, "paced", LOADED_SECONDS);
  row["100 streams after load: MB"] = memory();
  const large = watchMemory(started.pid);
  await load(started, "large", LOADED_SECONDS);
  row["1 MB bodies: MB"] = large();
  if (databaseUrl !== undefined) Object.assign(row, await measureRest(started.pid, databaseUrl));
  await stopOne(started.pid);
  const fresh = await start();
  const burst = await load(fresh, "burst", 1);
  row["burst: first byte p99 ms"] = burst.firstByteP99;
  row["burst: chunk delay p50 ms"] = burst.delayP50;
  await stopOne(fresh.pid);
  return row;
}

/** Returns a function that stops and returns the most megabytes of the process meanwhile. */
function watchMemory(pid: number): () => number {
  let most = 0;
  const look = () => (most = Math.max(most, residentOf(pid) ?? 0));
  const timer = setInterval(look, 250);
  return () => {
    clearInterval(timer);
    return look();
  };
}

async function stopOne(pid: number): Promise<void> {
  process.kill(pid, "SIGTERM");
  for (let waited = 0; waited < 20_000 && residentOf(pid) !== undefined; waited += 100) await sleep(100);
}

function medians(rows: readonly Record<string, number>[]): Record<string, number> {
  const names = Object.keys(rows[0] ?? {});
  return Object.fromEntries(
    names.map((name) => {
      const sorted = rows.map((row) => row[name] ?? 0).toSorted((one, other) => one - other);
      return [name, sorted[Math.floor(sorted.length / 2)] ?? 0];
    }),
  );
}

try {
  const provider = await startServer([join(callsFolder, "provider.ts")], folder, "provider");
  const demoMain = fileURLToPath(import.meta.resolve("@gateway/demo/main"));
  const demo = await startServer([demoMain, "--port", "0"], folder, "demo");
  const database = await startEmbeddedPostgres({ dataDir: folder, log: () => undefined });
  try {
    const gateway = async (): Promise<Process> => {
      const providers = { provider: provider.url, demo: demo.url };
      const { url, pid, token } = await startGateway(folder, database.url, providers, { main: options.main });
      return { url, pid, key: token, translates: true };
    };
    const bare = async (): Promise<Process> => {
      const { url, pid } = await startServer(
        [join(callsFolder, "pass-through.ts"), provider.url],
        folder,
        "bare",
      );
      return { url, pid, key: PROVIDER_KEY, translates: false };
    };
    const rows: { gateway: Record<string, number>[]; bare: Record<string, number>[] } = {
      gateway: [],
      bare: [],
    };
    for (let round = 0; round < options.rounds; round += 1) {
      // The time at rest is measured once.
      rows.gateway.push(await measure(gateway, round === 0 ? database.url : undefined));
      rows.bare.push(await measure(bare));
    }
    const ours = medians(rows.gateway);
    const theirs = medians(rows.bare);
    const shown = (value: number) => Number(value.toFixed(value < 10 ? 2 : 0));
    console.table(
      Object.fromEntries(
        Object.entries(ours).map(([name, value]) => {
          const other = theirs[name];
          const beside =
            other === undefined ? {} : { "pass-through": shown(other), "×": shown(value / other) };
          return [name, { gateway: shown(value), ...beside }];
        }),
      ),
    );
  } finally {
    await stopAll();
    await database.stop();
  }
} finally {
  await stopAll();
  await rm(folder, { recursive: true, force: true });
}
