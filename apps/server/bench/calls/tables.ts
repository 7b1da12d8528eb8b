import type { BatchSums, BenchGateway } from "./gateway.ts";
import { measureIdleStreams } from "./idle-streams.ts";
import type { LoadResult } from "./load.ts";
import { type ScenarioName, scenarios } from "./scenarios.ts";
import { measureStalls } from "./stalls.ts";

/** Prints the results of the benchmark. */
export const PASS_THROUGH = "pass-through";
/** Fastify, undici and a scan for the usage. */
export const FASTIFY = "fastify";

export interface Line {
  scenario: ScenarioName;
  target: string;
  /** Number of processes that serve the calls. */
  processes: number;
  /** Per second, median of the rounds. */
  requests: number;
  /** Milliseconds, median of the rounds. */
  p50: number;
  p99: number;
  /** CPU milliseconds per request of the target's process; null where the system does not report it. */
  cpu: number | null;
  /** The part of `cpu` that threads other than the main one used: garbage collection, compilation. */
  helperCpu: number | null;
  /** CPU milliseconds per request of its Postgres. */
  databaseCpu: number | null;
  /** CPU microseconds per chunk of the target's process. */
  chunkCpu: number | null;
  firstByteP50: number;
  firstByteP99: number;
  delayP99: number;
  /** Maximum kilobytes that each connection added to the memory of the process. */
  memory: number | null;
  /** p99 delay of its event loop in milliseconds; null for targets that do not report it. */
  late: number | null;
  /** Percent of the looks at its database at which a statement waited for a lock. */
  lockWaits: number | null;
  /** Waiting statements by what they waited for, in all rounds. */
  waitsOf: Record<string, number>;
  failed: number;
  rounds: LoadResult[];
}

function shown(value: number | null, digits: number): number | string {
  return value === null ? "-" : Number(value.toFixed(digits));
}

/** Returns the ratio to the pass-through of the same run. */
function beside(value: number | null, yardstick: number | null | undefined): number | string {
  return value === null || !yardstick ? "-" : Number((value / yardstick).toFixed(2));
}

export function print(lines: Line[], scenario: ScenarioName, connections: number): void {
  const { says, chunks, paceMs } = scenarios[scenario];
  const bare = lines.find(({ target }) => target === PASS_THROUGH);
  console.log(`\n${scenario}: ${says}; ${connections} connections to each process`);
  const calls = (line: Line) => ({
    "requests/s": Math.round(line.requests),
    "× pass-through": beside(line.requests, bare?.requests),
    "p50 ms": Number(line.p50.toFixed(2)),
    "added ms": bare === undefined ? "-" : Number((line.p50 - bare.p50).toFixed(2)),
    "p99 ms": Number(line.p99.toFixed(2)),
    "CPU ms": shown(line.cpu, 3),
    "CPU ×": beside(line.cpu, bare?.cpu),
    "of it other threads": shown(line.helperCpu, 3),
  });
  const stream = (line: Line) => ({
    "CPU µs/chunk": shown(line.chunkCpu, 1),
    "chunk CPU ×": beside(line.chunkCpu, bare?.chunkCpu),
  });
  const paced = (line: Line) => ({
    "first byte p50 ms": Number(line.firstByteP50.toFixed(2)),
    "first byte p99 ms": Number(line.firstByteP99.toFixed(1)),
    "chunk delay p99 ms": Number(line.delayP99.toFixed(1)),
    "KB per stream": shown(line.memory, 1),
  });
  console.table(
    Object.fromEntries(
      lines.map((line) => [
        line.target,
        {
          ...(paceMs === 0 ? calls(line) : {}),
          ...(chunks > 0 ? stream(line) : {}),
          ...(paceMs > 0 ? paced(line) : {}),
          "Postgres CPU ms": shown(line.databaseCpu, 3),
          "loop late p99 ms": shown(line.late, 1),
          "lock waits %": shown(line.lockWaits, 1),
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

/**
 * Compares several processes with one. On a machine with too few cores for all of them, requests per second say
 * nothing about that. What a call costs in CPU time does, as long as no process waits for another: processes on
 * cores of their own serve `processes / cost` times as much.
 */
export function printScaling(lines: Line[]): void {
  const one = lines.find((line) => line.target === "gateway");
  const several = lines.filter((line) => line.processes > 1);
  if (one === undefined || several.length === 0) return;
  console.log("\nseveral processes beside one: CPU time of all of them per call");
  const rows = several.map((line) => {
    const cost = line.cpu === null || !one.cpu ? null : line.cpu / one.cpu;
    const row = {
      "CPU × one": shown(cost, 3),
      "× one on own cores": shown(cost === null ? null : line.processes / cost, 2),
      "Postgres CPU × one": beside(line.databaseCpu, one.databaseCpu),
      "requests/s × one here": beside(line.requests, one.requests),
      "lock waits %": shown(line.lockWaits, 1),
    };
    return [line.target, row];
  });
  console.table(Object.fromEntries(rows));
  for (const { target, waitsOf } of several)
    for (const [what, count] of Object.entries(waitsOf)) console.log(`${target}: ${count} waits for ${what}`);
}

export function printBatches(before: BatchSums, after: BatchSums): void {
  const batches = Math.max(1, after.batches - before.batches);
  console.log("the ledger's batches under this load, warm-up included");
  console.table({
    batches: {
      count: after.batches - before.batches,
      "steps each": Number(((after.steps - before.steps) / batches).toFixed(2)),
      "ms each": Number((((after.seconds - before.seconds) * 1_000) / batches).toFixed(3)),
    },
  });
}

export async function printIdle(gateway: BenchGateway): Promise<void> {
  const costs = await measureIdleStreams(gateway);
  if (costs === undefined) return;
  console.log("\nstreams that wait for their provider: memory of the gateway");
  console.table(
    costs.map(({ streams, resident }, index) => {
      const less = costs[index - 1];
      const each = less && ((resident - less.resident) * 1_024) / (streams - less.streams);
      return { streams, "resident MB": shown(resident, 0), "KB each": shown(each ?? null, 1) };
    }),
  );
}

export function printStalls(): void {
  console.log("\na megabyte before its reservation: CPU ms on the event loop, median / most");
  const both = ([median, most]: readonly [number, number]) => `${median.toFixed(2)} / ${most.toFixed(2)}`;
  console.table(
    Object.fromEntries(
      measureStalls().map(({ text, parse, decode, estimate }) => [
        text,
        { parse: both(parse), decode: both(decode), estimate: both(estimate) },
      ]),
    ),
  );
}
