/**
 * Requests per second and latency of the gateway with billing on, beside a bare pass-through and the vendor itself:
 * one run, one machine, rounds in turn, every part in a process of its own, loopback only.
 */
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "#platform/embedded-postgres.ts";
import { type BenchGateway, startGateway, type TurnSums } from "./gateway.ts";
import { measureHoldUps } from "./hold-ups.ts";
import { measureIdleStreams } from "./idle-streams.ts";
import type { LoadOrder, LoadResult } from "./load.ts";
import { readOptions, refuse } from "./options.ts";
import { cpuOf, cpuOfFamily, runToEnd, type Started, startServer, stopAll } from "./processes.ts";
import { type ScenarioName, scenarios } from "./scenarios.ts";

const VENDOR_KEY = "demo-fast";
const WARM_UP_SECONDS = 1;

interface Target extends Started {
  name: string;
  key: string;
  /** Where its own CPU is not all that a call costs. */
  gateway?: BenchGateway;
  database?: EmbeddedPostgres;
}

interface Line {
  scenario: ScenarioName;
  target: string;
  /** Per second, the median of the rounds. */
  requests: number;
  /** Milliseconds: the medians of the rounds. */
  p50: number;
  p99: number;
  /** Milliseconds of CPU per request of the target's own process; null where the system does not say. */
  cpu: number | null;
  /** The same of the Postgres that bills it. */
  databaseCpu: number | null;
  /** Milliseconds by which its event loop was late at p99; null for targets that do not say. */
  late: number | null;
  failed: number;
  rounds: LoadResult[];
}

const options = readOptions();
const folder = await mkdtemp(join(tmpdir(), "gateway-bench-"));
// The database runs as a user of its own when we are root; where that one may not enter, it would live elsewhere.
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
  const wanted = (name: string) => options.only === undefined || options.only.includes(name);
  const vendor = await startServer([join(here, "../src/demo/main.ts"), "--port", "0"], folder, "vendor");
  const targets: Target[] = [];
  if (wanted("gateway")) {
    database = await startEmbeddedPostgres({ dataDir: folder, log: () => undefined });
    gateway = await startGateway(folder, database.url, vendor.url, VENDOR_KEY);
    const { url, pid, token: key } = gateway;
    targets.push({ name: "gateway", url, pid, key, gateway, database });
  }
  if (wanted("without-ledger")) {
    database ??= await startEmbeddedPostgres({ dataDir: folder, log: () => undefined });
    const free = await startGateway(folder, database.url, vendor.url, VENDOR_KEY, false);
    targets.push({ name: "without-ledger", url: free.url, pid: free.pid, key: free.token });
  }
  if (wanted("pass-through")) {
    const bare = await startServer([join(here, "pass-through.ts"), vendor.url], folder, "pass-through");
    targets.push({ name: "pass-through", ...bare, key: VENDOR_KEY });
  }
  if (wanted("vendor")) targets.push({ name: "vendor", ...vendor, key: VENDOR_KEY });
  if (targets.length === 0) refuse("--only names none of: gateway, without-ledger, pass-through, vendor.");
  return targets;
}

interface Round extends LoadResult {
  cpu: number | undefined;
  databaseCpu: number | undefined;
  late: number | undefined;
}

async function load(target: Target, scenario: ScenarioName, seconds: number): Promise<Round> {
  const { connections } = options;
  const order: LoadOrder = { url: target.url, key: target.key, scenario, connections, seconds };
  const one = async (seconds: number) => {
    const text = JSON.stringify({ ...order, seconds });
    const printed = await runToEnd([join(import.meta.dirname, "load.ts"), text], folder, "load");
    return JSON.parse(printed) as LoadResult;
  };
  await one(WARM_UP_SECONDS);
  await target.gateway?.lateness();
  const used = (): (number | undefined)[] => [
    cpuOf(target.pid),
    target.database === undefined ? undefined : cpuOfFamily(target.database.pid()),
  ];
  const before = used();
  const result = await one(seconds);
  const after = used();
  const [cpu, databaseCpu] = after.map((now, index) => {
    const then = before[index];
    return now === undefined || then === undefined ? undefined : (now - then) / Math.max(1, result.requests);
  });
  return { ...result, cpu, databaseCpu, late: await target.gateway?.lateness() };
}

function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = 0] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[middle]];
  return (low + high) / 2;
}

async function measure(targets: Target[], scenario: ScenarioName): Promise<Line[]> {
  const rounds = new Map<string, Round[]>(targets.map((target) => [target.name, []]));
  for (let round = 0; round < options.rounds; round += 1) {
    // Who goes first changes from round to round, so that nobody always finds the machine cold or hot.
    const order = round % 2 === 0 ? targets : targets.toReversed();
    for (const target of order) rounds.get(target.name)?.push(await load(target, scenario, options.seconds));
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
      requests: median(made.map((round) => round.requests / round.seconds)),
      p50: median(made.map((round) => round.p50)),
      p99: median(made.map((round) => round.p99)),
      cpu: known((round) => round.cpu),
      databaseCpu: known((round) => round.databaseCpu),
      late: known((round) => round.late),
      failed: made.reduce((sum, round) => sum + round.failed, 0),
      rounds: made,
    };
  });
}

function shown(value: number | null, digits: number): number | string {
  return value === null ? "-" : Number(value.toFixed(digits));
}

function print(lines: Line[], scenario: ScenarioName): void {
  console.log(`\n${scenario}: ${scenarios[scenario].says}`);
  console.table(
    Object.fromEntries(
      lines.map((line) => [
        line.target,
        {
          "requests/s": Math.round(line.requests),
          "p50 ms": Number(line.p50.toFixed(2)),
          "p99 ms": Number(line.p99.toFixed(2)),
          "CPU ms/request": shown(line.cpu, 3),
          "Postgres CPU ms": shown(line.databaseCpu, 3),
          "loop late p99 ms": shown(line.late, 1),
          failed: line.failed,
        },
      ]),
    ),
  );
  for (const line of lines) {
    const failure = line.rounds.find((round) => round.failed > 0)?.firstFailure;
    if (failure !== undefined) console.log(`${line.target} failed first with: ${failure}`);
  }
}

function printTurns(before: TurnSums, after: TurnSums): void {
  const turns = Math.max(1, after.turns - before.turns);
  console.log("the ledger's turns under this load, warm-up included");
  console.table({
    turns: {
      count: after.turns - before.turns,
      "steps each": Number(((after.steps - before.steps) / turns).toFixed(2)),
      "ms each": Number((((after.seconds - before.seconds) * 1_000) / turns).toFixed(3)),
    },
  });
}

async function printIdle(gateway: BenchGateway): Promise<void> {
  const costs = await measureIdleStreams(gateway);
  if (costs === undefined) return;
  console.log("\nstreams that wait for their vendor: memory of the gateway");
  console.table(
    costs.map(({ streams, resident }, index) => {
      const less = costs[index - 1];
      const each = less && ((resident - less.resident) * 1_024) / (streams - less.streams);
      return { streams, "resident MB": shown(resident, 0), "KB each": shown(each ?? null, 1) };
    }),
  );
}

function printHoldUps(): void {
  console.log("\na megabyte before its reservation: CPU ms on the event loop, median / most");
  const both = ([median, most]: readonly [number, number]) => `${median.toFixed(2)} / ${most.toFixed(2)}`;
  console.table(
    Object.fromEntries(
      measureHoldUps().map(({ text, parse, decode, estimate }) => [
        text,
        { parse: both(parse), decode: both(decode), estimate: both(estimate) },
      ]),
    ),
  );
}

let interrupted = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    interrupted = true;
    void stopAll();
  });
}

async function run(): Promise<number> {
  const targets = await startTargets();
  const machine = { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, node: process.version };
  const { connections, seconds, rounds } = options;
  console.log(`${machine.cores} × ${machine.cpu}, Node ${machine.node}`);
  console.log(`${connections} connections, the median of ${rounds} rounds of ${seconds} s`);
  // First, while nothing else has left its memory behind.
  if (gateway !== undefined && options.idle) await printIdle(gateway);
  const before = await gateway?.account();
  const lines: Line[] = [];
  for (const scenario of options.scenarios) {
    const turnsBefore = await gateway?.turns();
    const made = await measure(targets, scenario);
    print(made, scenario);
    const turnsAfter = await gateway?.turns();
    if (turnsBefore !== undefined && turnsAfter !== undefined) printTurns(turnsBefore, turnsAfter);
    if (scenario === "large") printHoldUps();
    lines.push(...made);
  }
  const after = await gateway?.account();
  let billing: { requests: number; points: number } | undefined;
  if (before !== undefined && after !== undefined) {
    billing = { requests: after.requests - before.requests, points: after.charged - before.charged };
    console.log(`\nThe ledger charged ${billing.points} points for ${billing.requests} calls.`);
  }
  if (options.json !== undefined) {
    const results = { date: new Date().toISOString(), machine, connections, seconds, lines, billing };
    await writeFile(options.json, `${JSON.stringify(results, undefined, 2)}\n`);
  }
  return lines.reduce((sum, line) => sum + line.failed, 0);
}

try {
  const failed = await run();
  if (failed > 0) throw new Error(`${failed} calls failed: these numbers mean nothing.`);
} catch (error) {
  // What an interruption breaks is no news.
  if (!interrupted) console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await clear();
}
