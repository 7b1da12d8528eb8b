/**
 * Requests per second and latency of the gateway with billing, compared with a bare pass-through and the
 * provider itself. One run on one machine, rounds in turn, every part in its own process, loopback only.
 */
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "#platform/database/embedded-postgres.ts";
import { type LockWaits, watchLockWaits } from "../lock-waits.ts";
import {
  cpuOf,
  cpuOfFamily,
  cpuOfHelpers,
  familyOf,
  pin,
  runToEnd,
  type Started,
  startServer,
  stopAll,
} from "../processes.ts";
import { measureCommit } from "./commit.ts";
import { type BenchGateway, startGateway } from "./gateway.ts";
import { residentOf } from "./idle-streams.ts";
import type { LoadOrder, LoadResult } from "./load.ts";
import { readOptions, type TargetName } from "./options.ts";
import { type ScenarioName, scenarios, streamMs } from "./scenarios.ts";
import {
  FASTIFY,
  type Line,
  PASS_THROUGH,
  print,
  printBatches,
  printIdle,
  printScaling,
  printStalls,
} from "./tables.ts";

const PROVIDER_KEY = "demo-fast";
const WARM_UP_SECONDS = 1;

interface Target {
  name: string;
  url: string;
  key: string;
  /** Absent where the gateway was not started here. Its CPU and memory are not measured. */
  pid?: number;
  /** Set where the cost of a call includes more than the CPU time of this process. */
  gateway?: BenchGateway;
  database?: EmbeddedPostgres;
  /** Set where it is several processes on one port. Their CPU time is summed. */
  workers?: number;
  /** Further nodes on the same database. Connections are spread over all of them. */
  nodes?: Started[];
}

const options = readOptions();
const isUrl = (text: string) => /^https?:\/\//.test(text);
const besideMain = options.beside === "" || isUrl(options.beside) ? undefined : resolve(options.beside);
const folder = await mkdtemp(join(tmpdir(), "gateway-bench-"));
// Postgres runs as another user when this process is root, and needs access to the folder.
await chmod(folder, 0o755);
let database: EmbeddedPostgres | undefined;
let gateway: BenchGateway | undefined;

async function clear(): Promise<void> {
  await stopAll();
  await database?.stop();
  await rm(folder, { recursive: true, force: true });
}

async function startTargets(): Promise<Target[]> {
  const here = import.meta.dirname;
  const wanted = (name: TargetName) => options.only.includes(name);
  const port = String(options["provider-port"]);
  const provider = await startServer([join(here, "provider.ts"), port], folder, "provider");
  const targets: Target[] = [];
  if (
    wanted("gateway") ||
    wanted("without-ledger") ||
    options.workers > 1 ||
    options.telemetry ||
    besideMain !== undefined
  ) {
    const demo = await startServer(
      [fileURLToPath(import.meta.resolve("@gateway/demo/main")), "--port", "0"],
      folder,
      "demo",
    );
    const providers = { provider: provider.url, demo: demo.url };
    database = await startEmbeddedPostgres({ dataDir: folder, log: () => undefined });
    if (wanted("gateway")) {
      gateway = await startGateway(folder, database.url, providers);
      const { url, pid, token: key } = gateway;
      targets.push({ name: "gateway", url, pid, key, gateway, database });
    }
    if (gateway !== undefined && options.nodes > 1) {
      const nodes: Started[] = [];
      for (let node = 2; node <= options.nodes; node += 1)
        nodes.push(await startGateway(folder, database.url, providers, { node }));
      const { url, pid, token: key } = gateway;
      targets.push({ name: `${options.nodes} nodes`, url, pid, key, database, nodes });
    }
    if (options.telemetry) {
      const collector = await startServer([join(here, "collector.ts")], folder, "collector");
      const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
      const sending = await startGateway(folder, database.url, providers, { environment });
      targets.push({ name: "telemetry", url: sending.url, pid: sending.pid, key: sending.token, database });
    }
    if (besideMain !== undefined) {
      const other = await startGateway(folder, database.url, providers, { main: besideMain });
      targets.push({ name: "beside", url: other.url, pid: other.pid, key: other.token, database });
    }
    if (options.workers > 1) {
      const { workers } = options;
      const { url, pid, token: key } = await startGateway(folder, database.url, providers, { workers });
      targets.push({ name: `${workers} workers`, url, pid, key, database, workers });
    }
    if (wanted("without-ledger")) {
      const free = await startGateway(folder, database.url, providers, { withLedger: false });
      targets.push({ name: "without-ledger", url: free.url, pid: free.pid, key: free.token });
    }
  }
  if (wanted(PASS_THROUGH)) {
    const bare = await startServer([join(here, "pass-through.ts"), provider.url], folder, PASS_THROUGH);
    targets.push({ name: PASS_THROUGH, ...bare, key: PROVIDER_KEY });
  }
  if (wanted(FASTIFY)) {
    const fastify = await startServer([join(here, "fastify.ts"), provider.url], folder, FASTIFY);
    targets.push({ name: FASTIFY, ...fastify, key: PROVIDER_KEY });
  }
  if (wanted("provider")) targets.push({ name: "provider", ...provider, key: PROVIDER_KEY });
  if (isUrl(options.beside)) targets.push({ name: "beside", url: options.beside, key: options.key });
  return targets;
}

interface Round extends LoadResult {
  cpu: number | undefined;
  helperCpu: number | undefined;
  chunkCpu: number | undefined;
  databaseCpu: number | undefined;
  memory: number | undefined;
  late: number | undefined;
  lockWaits: LockWaits | undefined;
}

/** Of one process. */
const connectionsOf = (scenario: ScenarioName) => options.connections || scenarios[scenario].connections;
/**
 * Returns the seconds of a measurement. Streams longer than a round are measured for two and a half times
 * their duration.
 */
const secondsOf = (scenario: ScenarioName) => Math.max(options.seconds, (streamMs(scenario) * 2.5) / 1_000);

const processesOf = ({ workers, nodes = [] }: Target) => workers ?? 1 + nodes.length;

/** Calls after which a process has compiled its code for speed, and the longest time for that in seconds. */
const WARM_CALLS = 150_000;
const WARM_SECONDS = 60;
/** Targets whose code for a scenario is compiled. */
const warm = new Set<string>();

/** The cost of a call can be compared between targets when all their processes have compiled their code. */
async function warmUp(
  { name }: Target,
  scenario: ScenarioName,
  processes: number,
  one: (seconds: number) => Promise<LoadResult>,
): Promise<void> {
  await one(WARM_UP_SECONDS * processes);
  const key = `${name} ${scenario}`;
  if (warm.has(key)) return;
  warm.add(key);
  const until = performance.now() + WARM_SECONDS * processes * 1_000;
  for (let calls = 0; calls < WARM_CALLS * processes && performance.now() < until;)
    calls += (await one(5)).requests;
}

/** Targets that only pass on what they get. */
const cannotTranslate: ReadonlySet<string> = new Set([PASS_THROUGH, FASTIFY, "provider"]);

async function load(target: Target, scenario: ScenarioName): Promise<Round> {
  const processes = processesOf(target);
  const connections = connectionsOf(scenario) * processes;
  const urls = [target.url, ...(target.nodes ?? []).map(({ url }) => url)];
  const translates = !cannotTranslate.has(target.name);
  const order: LoadOrder = { urls, key: target.key, scenario, translates, connections, seconds: 0 };
  const one = async (seconds: number, over = connections) => {
    const text = JSON.stringify({ ...order, connections: over, seconds });
    const printed = await runToEnd([join(import.meta.dirname, "load.ts"), text], folder, "load");
    return JSON.parse(printed) as LoadResult;
  };
  const pids = [target.pid, ...(target.nodes ?? []).map(({ pid }) => pid)];
  await warmUp(target, scenario, processes, (seconds) =>
    one(seconds, Math.min(connections, WARM_UP_CONNECTIONS * processes)),
  );
  await target.gateway?.lateness();
  const ofAll = (of: (pid: number) => number | undefined) =>
    sum(pids.map((pid) => (pid === undefined ? undefined : of(pid))));
  const used = (): (number | undefined)[] => [
    ofAll(target.workers === undefined ? cpuOf : cpuOfFamily),
    target.workers === undefined ? ofAll(cpuOfHelpers) : undefined,
    target.database === undefined ? undefined : cpuOfFamily(target.database.pid()),
  ];
  const before = used();
  const memory = watchMemory(target.pid);
  const lockWaits = target.database && (await watchLockWaits(target.database.url));
  const result = await one(secondsOf(scenario));
  const kilobytes = memory();
  const after = used();
  const [cpu, helperCpu, databaseCpu] = after.map((now, index) => {
    const then = before[index];
    return now === undefined || then === undefined ? undefined : now - then;
  });
  const each = (ms: number | undefined) => (ms === undefined ? undefined : ms / Math.max(1, result.requests));
  return {
    ...result,
    cpu: each(cpu),
    helperCpu: each(helperCpu),
    chunkCpu: cpu === undefined || result.chunks === 0 ? undefined : (cpu * 1_000) / result.chunks,
    databaseCpu: each(databaseCpu),
    memory: kilobytes === undefined ? undefined : kilobytes / connections,
    late: await target.gateway?.lateness(),
    lockWaits: await lockWaits?.(),
  };
}

function sumsOf(parts: readonly Record<string, number>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [name, count] of parts.flatMap(Object.entries<number>)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

function sum(values: (number | undefined)[]): number | undefined {
  return values.reduce(
    (total, value) => (total === undefined || value === undefined ? undefined : total + value),
    0,
  );
}

const WARM_UP_CONNECTIONS = 100;
const MEMORY_LOOK_MS = 250;

/** Returns a function that stops and returns the maximum growth of a process in kilobytes. */
function watchMemory(pid: number | undefined): () => number | undefined {
  if (pid === undefined) return () => undefined;
  const first = residentOf(pid);
  let most = first ?? 0;
  const timer = setInterval(() => {
    most = Math.max(most, residentOf(pid) ?? 0);
  }, MEMORY_LOOK_MS);
  return () => {
    clearInterval(timer);
    return first === undefined ? undefined : (most - first) * 1_024;
  };
}

function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = 0] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[middle]];
  return (low + high) / 2;
}

async function measure(targets: Target[], scenario: ScenarioName): Promise<Line[]> {
  const rounds = new Map<string, Round[]>(targets.map((target) => [target.name, []]));
  // Memory of long streams is measured in one round, because memory of earlier rounds is not freed.
  const count = scenario === "slow" ? 1 : options.rounds;
  for (let round = 0; round < count; round += 1) {
    // The order alternates, so that no target always runs first or last.
    const order = round % 2 === 0 ? targets : targets.toReversed();
    for (const target of order) rounds.get(target.name)?.push(await load(target, scenario));
  }
  return targets.map((target) => {
    const made = rounds.get(target.name) ?? [];
    const known = (of: (round: Round) => number | undefined) => {
      const values = made.flatMap((round) => of(round) ?? []);
      return values.length === 0 ? null : median(values);
    };
    return {
      scenario,
      target: target.name,
      processes: processesOf(target),
      requests: median(made.map((round) => round.requests / round.seconds)),
      p50: median(made.map((round) => round.p50)),
      p99: median(made.map((round) => round.p99)),
      cpu: known((round) => round.cpu),
      helperCpu: known((round) => round.helperCpu),
      databaseCpu: known((round) => round.databaseCpu),
      chunkCpu: known((round) => round.chunkCpu),
      firstByteP50: median(made.map((round) => round.firstByteP50)),
      firstByteP99: median(made.map((round) => round.firstByteP99)),
      delayP99: median(made.map((round) => round.delayP99)),
      memory: known((round) => round.memory),
      late: known((round) => round.late),
      lockWaits: known((round) => round.lockWaits?.share),
      waitsOf: sumsOf(made.map((round) => round.lockWaits?.of ?? {})),
      failed: made.reduce((sum, round) => sum + round.failed, 0),
      rounds: made,
    };
  });
}

/** Everything but the measured processes shares one core. */
const OTHERS_CORE = "1";
const TARGETS_CORE = "0";

function pinTargets(targets: Target[]): void {
  for (const { pid, name, nodes = [] } of targets)
    if (name !== "provider" && pid !== undefined)
      for (const each of [...familyOf(pid), ...nodes.map((node) => node.pid)]) pin(each, TARGETS_CORE);
}

let interrupted = false;
// Not once: Ctrl+C arrives twice, from the terminal and from `pnpm bench`.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    interrupted = true;
    void stopAll();
  });
}

async function run(): Promise<number> {
  // Processes that start from here on inherit this core.
  if (options.pinned) pin(process.pid, OTHERS_CORE);
  const targets = await startTargets();
  if (options.pinned) pinTargets(targets);
  const machine = { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, node: process.version };
  const { seconds, rounds } = options;
  console.log(`${machine.cores} × ${machine.cpu}, Node ${machine.node}`);
  console.log(`the median of ${rounds} rounds of ${seconds} s`);
  const commitMs = database === undefined ? undefined : await measureCommit(database.url);
  if (commitMs !== undefined) console.log(`one durable commit alone: ${commitMs.toFixed(2)} ms (p50)`);
  // First, before other scenarios use memory.
  if (gateway !== undefined && options.idle) await printIdle(gateway);
  const before = await gateway?.account();
  const lines: Line[] = [];
  for (const scenario of options.scenarios) {
    const batchesBefore = await gateway?.batches();
    const made = await measure(targets, scenario);
    print(made, scenario, connectionsOf(scenario));
    printScaling(made);
    const batchesAfter = await gateway?.batches();
    if (batchesBefore !== undefined && batchesAfter !== undefined) printBatches(batchesBefore, batchesAfter);
    if (scenario === "large") printStalls();
    lines.push(...made);
  }
  const after = await gateway?.account();
  let billing: { requests: number; points: number } | undefined;
  if (before !== undefined && after !== undefined) {
    billing = { requests: after.requests - before.requests, points: after.charged - before.charged };
    console.log(`\nThe ledger charged ${billing.points} points for ${billing.requests} calls.`);
  }
  if (options.json !== "") {
    const results = { date: new Date().toISOString(), machine, seconds, commitMs, lines, billing };
    await writeFile(options.json, `${JSON.stringify(results, undefined, 2)}\n`);
  }
  return lines.reduce((sum, line) => sum + line.failed, 0);
}

try {
  const failed = await run();
  if (failed > 0) throw new Error(`${failed} calls failed: these numbers mean nothing.`);
} catch (error) {
  // Errors after an interruption are expected.
  if (!interrupted) console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await clear();
  // The watches of a load that failed still run.
  process.exit();
}
