import cluster, { type Worker } from "node:cluster";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Env } from "#env.ts";
import { createLogRing, openLog } from "#platform/log/log.ts";
import type { MetricReport } from "#platform/metrics/metrics.ts";
import { announce } from "#start/announce.ts";
import type { Running } from "#start/context.ts";
import { migrations, postgres } from "#start/database/postgres.ts";
import { createParts } from "#start/parts.ts";
import type { ToPrimary, ToWorker } from "./messages.ts";
import { requireFreePort, sharesPorts } from "./port.ts";
import { createRestarts } from "./restarts.ts";
import { countForWorkers } from "./shared-limits.ts";
import { createSwitchboard } from "./switchboard.ts";
import { METRICS } from "./topics.ts";
import { createTotals } from "./totals.ts";

/** A worker, as the primary process tracks it. */
interface Entry {
  worker: Worker;
  number: number;
  nodeId: string;
  startedAt: number;
  ready: boolean;
}

/** Number of ended workers' ids sent to new ones, because other nodes may still count them. */
const REMEMBERED_IDS = 50;

/**
 * Runs `env.workers` gateways behind one port. This process serves no calls. It starts the embedded Postgres,
 * migrates the database, replaces workers that end, and answers requests that concern all of them.
 */
export async function startWorkers(env: Env): Promise<Running> {
  const log = openLog(env, createLogRing());
  const parts = createParts((name, error) => log.error({ err: error }, `closing failed: ${name}`));
  try {
    const context = { env, log };
    const { databaseUrl } = await parts.open(postgres, context);
    await parts.open(migrations, { ...context, databaseUrl });
    const team = createTeam(env, log, databaseUrl);
    const { url, setupToken } = await team.start();
    log.info(`${env.workers} workers serve calls.`);
    announce(env, log, { url, setupToken });
    return {
      failed: team.failed,
      async stop() {
        await team.stop();
        await parts.close();
      },
    };
  } catch (error) {
    await parts.close();
    throw error;
  }
}

function createTeam(env: Env, log: Logger, databaseUrl: string) {
  const entries = new Map<number, Entry>();
  const ids: string[] = [];
  const restarts = createRestarts();
  const totals = createTotals();
  const limits = countForWorkers();
  let stopping = false;
  /** Port of all workers, including later ones. */
  let port: number | undefined;
  let fail: (error: Error) => void = () => {};
  const failed = new Promise<Error>((resolve) => {
    fail = resolve;
  });
  const switchboard = createSwitchboard({
    workers: () => [...entries.values()].map(({ worker }) => worker),
    answers: limits.answers,
    onReport(topic, from, value) {
      if (topic === METRICS) totals.reported(from, value as MetricReport);
    },
    more: (topic) => (topic === METRICS ? totals.ofEnded() : []),
  });

  function tell(worker: Worker, message: ToWorker): void {
    worker.send(message, () => {});
  }

  /** Resolves when the worker listens. Rejects when it ends before that. */
  function launch(number: number, first: boolean): Promise<{ url: string; setupToken?: string }> {
    const nodeId = randomUUID();
    ids.push(nodeId);
    ids.splice(0, ids.length - env.workers - REMEMBERED_IDS);
    const worker = cluster.fork();
    const entry: Entry = { worker, number, nodeId, startedAt: performance.now(), ready: false };
    entries.set(number, entry);
    for (const other of entries.values())
      if (other !== entry) tell(other.worker, { kind: "siblings", siblings: ids });
    return new Promise((resolve, reject) => {
      worker.on("message", (message: ToPrimary) => {
        if (message.kind === "share") limits.setShare(message.share);
        else if (message.kind === "started") {
          entry.ready = true;
          port = message.port;
          resolve(message);
        } else switchboard.receive(worker, message);
      });
      worker.once("exit", (code, signal) => {
        if (entries.get(number) === entry) entries.delete(number);
        switchboard.forget(worker);
        totals.ended(worker).catch((error: unknown) => log.error({ err: error }, "background work failed"));
        if (!entry.ready)
          reject(new Error(`Worker ${number} ended before it served calls (${signal ?? code}).`));
        // One that served calls is replaced at once, also while others still start.
        if (!stopping && (started || entry.ready)) replace(entry, signal ?? `code ${code}`);
      });
      tell(worker, {
        kind: "task",
        number,
        nodeId,
        databaseUrl,
        first,
        siblings: ids,
        ...(port !== undefined && { port }),
      });
    });
  }

  let started = false;

  function replace({ number, startedAt, worker }: Entry, how: string): void {
    const livedMs = performance.now() - startedAt;
    const othersReady = [...entries.values()].some(({ ready }) => ready);
    const pauseMs = restarts.next(number, livedMs, othersReady);
    const what = `Worker ${number} (process ${worker.process.pid}) ended with ${how} after ${Math.round(livedMs / 1_000)} s`;
    if (pauseMs === "give-up") {
      fail(
        new Error(`${what}. Workers end again and again, so the gateway ends too. The lines above say why.`),
      );
      return;
    }
    log.error(`${what}; starting another one in ${pauseMs} ms.`);
    void sleep(pauseMs, undefined, { ref: false }).then(() => {
      // A failed start ends its process, and the exit handler replaces it again.
      if (!stopping) launch(number, false).catch(() => undefined);
    });
  }

  return {
    failed,
    /** Starts the first worker, which prepares the database, then the others together. */
    async start() {
      if (sharesPorts) await requireFreePort(env.HOST, env.PORT);
      const first = await launch(0, true);
      const numbers = Array.from({ length: env.workers - 1 }, (_, index) => index + 1);
      try {
        await Promise.all(numbers.map((number) => launch(number, false)));
      } catch (error) {
        await stop();
        throw error;
      }
      started = true;
      return first;
    },
    stop,
  };

  /** Stops all workers. Each waits for its calls, within its own limits. */
  async function stop(): Promise<void> {
    stopping = true;
    const ended = [...entries.values()].map(async ({ worker }) => {
      const exit = once(worker, "exit");
      worker.process.kill("SIGTERM");
      const [code, signal] = (await exit) as [number | null, string | null];
      if (code !== 0) log.error(`A worker ended with ${signal ?? `code ${code}`}.`);
      return code === 0;
    });
    const clean = await Promise.all(ended);
    if (clean.includes(false)) throw new Error("Not every worker ended cleanly.");
  }
}
