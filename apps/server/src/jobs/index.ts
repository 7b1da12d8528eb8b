import { setTimeout as sleep } from "node:timers/promises";
import { plainReason, type Reason, reasonOf } from "@gateway/shared/reasons";
import { PgBoss } from "pg-boss";
import { raiseNotice } from "#domain/notices/notices.ts";
import { GatewayError, reasonOfError } from "#errors.ts";
import { isConnectionLoss } from "#platform/database/connection-loss.ts";
import { impatientSocket } from "#platform/database/connection.ts";
import { auditBalances } from "./audit-balances.ts";
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

/** The clock: recurring work, each run by one node of all. Thin, like the other endpoints: a job calls the domain. */
const allJobs: readonly Job[] = [
  auditBalances,
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
  /** A running job says so; one that is silent for so long is taken for dead, and may be started again. Seconds. */
  heartbeatSeconds?: number;
  /** Operators are told of a job that takes longer. Milliseconds. */
  overrunMs?: number;
  /** How often a node looks for work, and for jobs that are silent. Seconds. */
  lookSeconds?: number;
}

/** How long a stop waits for the jobs that are running. */
const LAST_JOBS_MS = 10_000;

/** How long a start waits for a database that is away, and how long it pauses before it asks again. */
const DATABASE_PATIENCE_MS = 60_000;
const AGAIN_MS = 250;

/** The longest that pg-boss allows; a job that lives longer than its heartbeat shows by the heartbeat. */
const longestSeconds = 23 * 3_600;

/**
 * Starts the schedules; `stop` lets a running job finish. A job is run by one node at a time, however long it takes:
 * its node reports that it is at work, and only when that stops may another one start it.
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
      // A queue that an earlier version made keeps its rules until they are changed.
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
      // Workers say at once that they have ended; a graceful stop of pg-boss looks for it twice a second only.
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

/** Does it again while Postgres restarts: that must not end a node that starts at the same moment. */
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

/** A job that fails or hangs quietly is found out weeks later. */
async function runOrTell(job: Job, services: JobServices, overrunMs: number): Promise<void> {
  const overrun = setTimeout(() => {
    const minutes = Math.round(overrunMs / 60_000);
    void tell(job, services, reasonOf("jobOverrun", { minutes }));
  }, overrunMs);
  overrun.unref();
  try {
    await job.run(services);
  } catch (error) {
    await tell(job, services, reasonFor(error), error);
    throw error;
  } finally {
    clearTimeout(overrun);
  }
}

function reasonFor(error: unknown): Reason {
  if (error instanceof GatewayError) return reasonOfError(error);
  return plainReason(error instanceof Error ? error.message : String(error));
}

async function tell(
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
