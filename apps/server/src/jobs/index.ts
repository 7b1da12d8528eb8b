import { setTimeout as sleep } from "node:timers/promises";
import { plainReason, type Reason, reasonOf } from "@gateway/shared/reasons";
import { PgBoss } from "pg-boss";
import { raiseNotice } from "#domain/notices/notices.ts";
import { GatewayError, reasonOfError } from "#errors.ts";
import { isConnectionLoss } from "#platform/database/connection-loss.ts";
import { impatientSocket } from "#platform/database/connection.ts";
import { auditBalances } from "./audit-balances.ts";
import { checkModelLists } from "./check-model-lists.ts";
import { closeUsageHours } from "./close-hours.ts";
import { closeStatementMonths } from "./close-months.ts";
import { completeLogIndexes } from "./complete-indexes.ts";
import { expireOldBalances } from "./expire-balances.ts";
import type { Job, JobServices } from "./job.ts";
import { keepPartitions } from "./keep-partitions.ts";
import { reviveChannels } from "./revive-channels.ts";
import { sweepAccounts } from "./sweep-accounts.ts";
import { tellOperators } from "./tell-operators.ts";
import { updatePrices } from "./update-prices.ts";
import { watchChannels } from "./watch-channels.ts";
import { watchOrders } from "./watch-orders.ts";
import { watchPrices } from "./watch-prices.ts";
import { watchTasks } from "./watch-tasks.ts";

/** Recurring jobs. Each run is executed by one node. Thin, like endpoints: a job calls the domain. */
const allJobs: readonly Job[] = [
  auditBalances,
  checkModelLists,
  closeUsageHours,
  closeStatementMonths,
  completeLogIndexes,
  expireOldBalances,
  keepPartitions,
  reviveChannels,
  sweepAccounts,
  tellOperators,
  updatePrices,
  watchChannels,
  watchOrders,
  watchPrices,
  watchTasks,
];

interface JobOptions {
  jobs?: readonly Job[];
  /** Seconds without a heartbeat after which a job counts as dead and may be started again. */
  heartbeatSeconds?: number;
  /** Milliseconds after which administrators are notified that a job is still running. */
  overrunMs?: number;
  /** Seconds between two checks of a node for new and for dead jobs. */
  lookSeconds?: number;
}

/** Maximum wait for running jobs at shutdown. */
const LAST_JOBS_MS = 10_000;

/** Maximum wait for an unavailable database at the start, and the pause between two attempts. */
const DATABASE_PATIENCE_MS = 60_000;
const AGAIN_MS = 250;

/**
 * The maximum of pg-boss. A job that runs longer than a heartbeat interval is kept alive by its heartbeat.
 */
const longestSeconds = 23 * 3_600;

/**
 * Starts the schedules. `stop` waits for running jobs. One node at a time runs a job, however long it takes:
 * the node sends heartbeats, and another node may start the job only when they stop.
 */
export async function startJobs(
  url: string,
  given: Omit<JobServices, "stopping">,
  options: JobOptions = {},
): Promise<{ stop(): Promise<void> }> {
  const { jobs = allJobs, heartbeatSeconds = 60, overrunMs = 15 * 60_000, lookSeconds = 15 } = options;
  const ending = new AbortController();
  const services: JobServices = { ...given, stopping: ending.signal };
  const boss = await patiently(() => openQueues(url, lookSeconds, services.onError));
  const rules = { retryLimit: 0, expireInSeconds: longestSeconds, heartbeatSeconds };
  for (const job of jobs) {
    await patiently(async () => {
      await boss.createQueue(job.name, { policy: "singleton", ...rules });
      // An existing queue of an earlier version keeps its rules until they are updated.
      await boss.updateQueue(job.name, rules);
      await boss.schedule(job.name, job.every);
      if (job.atStart === true) await boss.send(job.name);
    });
    await boss.work(job.name, { pollingIntervalSeconds: lookSeconds }, () =>
      runOrTell(job, services, overrunMs),
    );
  }
  return {
    async stop() {
      ending.abort();
      // Workers report their end at once; a graceful stop of pg-boss checks only twice a second.
      const ended = Promise.all(jobs.map(({ name }) => boss.offWork(name, { wait: true })));
      await Promise.race([ended, sleep(LAST_JOBS_MS, undefined, { ref: false })]);
      await boss.stop({ graceful: false, close: true });
    },
  };
}

async function openQueues(
  url: string,
  lookSeconds: number,
  onError: (error: unknown) => void,
): Promise<PgBoss> {
  const connection = {
    connectionString: url,
    max: 2,
    application_name: "gateway-jobs",
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    stream: impatientSocket(65_000),
  };
  const boss = new PgBoss({
    ...connection,
    superviseIntervalSeconds: Math.min(60, lookSeconds * 2),
    monitorIntervalSeconds: Math.min(60, lookSeconds * 2),
    cronWorkerIntervalSeconds: lookSeconds,
    flowIntervalSeconds: 60,
  });
  boss.on("error", onError);
  try {
    return await boss.start();
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => undefined);
    throw error;
  }
}

/** Retries the work while Postgres restarts, so that a node starting at that moment does not fail. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + DATABASE_PATIENCE_MS;
  while (true) {
    try {
      return await work();
    } catch (error) {
      if (!isConnectionLoss(error) || performance.now() > giveUpAt) throw error;
      await sleep(AGAIN_MS);
    }
  }
}

/** Runs a job and reports failures and overruns. Otherwise they could stay unnoticed for weeks. */
async function runOrTell(job: Job, services: JobServices, overrunMs: number): Promise<void> {
  const overrun = setTimeout(() => {
    const minutes = Math.round(overrunMs / 60_000);
    void notify(job, services, reasonOf("jobOverrun", { minutes }));
  }, overrunMs);
  overrun.unref();
  try {
    await job.run(services);
  } catch (error) {
    await notify(job, services, reasonFor(error), error);
    throw error;
  } finally {
    clearTimeout(overrun);
  }
}

function reasonFor(error: unknown): Reason {
  if (error instanceof GatewayError) return reasonOfError(error);
  return plainReason(error instanceof Error ? error.message : String(error));
}

async function notify(
  job: Job,
  services: JobServices,
  reason: Reason,
  error: unknown = new Error(reason.text),
): Promise<void> {
  services.onError(new Error(`The job ${job.name}`, { cause: error }));
  const notice = {
    event: "job-failed",
    topic: `job:${job.name}`,
    facts: { job: job.name },
    reason,
  } as const;
  await raiseNotice(services.db, notice).catch((failure: unknown) => services.onError(failure));
}
