import { setTimeout as sleep } from "node:timers/promises";
import { plainReason, type Reason, reasonOf } from "@gateway/shared/reasons";
import { raiseNotice } from "#domain/notices/notices.ts";
import { GatewayError, reasonOfError } from "#errors.ts";
import { announce } from "#platform/announcements.ts";
import { isConnectionLoss } from "#platform/database/connection-loss.ts";
import { openConnection } from "#platform/database/connection.ts";
import { types } from "#platform/database/db.ts";
import { auditBalances } from "./audit-balances.ts";
import { checkModelLists } from "./check-model-lists.ts";
import { checkReleases } from "./check-releases.ts";
import { closeStatementMonths } from "./close-statement-months.ts";
import { closeUsageHours } from "./close-usage-hours.ts";
import { compactLogDays } from "./compact-log-days.ts";
import { completeDerivations } from "./complete-derivations.ts";
import { completeLogIndexes } from "./complete-indexes.ts";
import { dropHoursOfUsers } from "./drop-user-hours.ts";
import { expireOldBalances } from "./expire-balances.ts";
import { exportLog } from "./export-log.ts";
import type { Job, JobServices } from "./job.ts";
import { keepPartitions } from "./keep-partitions.ts";
import { packUsageDays } from "./pack-usage-days.ts";
import { reviveChannels } from "./revive-channels.ts";
import { startScheduler } from "./scheduler.ts";
import { sweepAccounts } from "./sweep-accounts.ts";
import { tellOperators } from "./tell-operators.ts";
import { updatePrices } from "./update-prices.ts";
import { watchChannels } from "./watch-channels.ts";
import { watchOrders } from "./watch-orders.ts";
import { watchPrices } from "./watch-prices.ts";
import { watchTasks } from "./watch-tasks.ts";
import { writeBackups } from "./write-backups.ts";

/** Recurring jobs. Each run is executed by one node. Thin, like endpoints: a job calls the domain. */
const allJobs: readonly Job[] = [
  auditBalances,
  checkModelLists,
  checkReleases,
  closeUsageHours,
  closeStatementMonths,
  compactLogDays,
  completeDerivations,
  completeLogIndexes,
  dropHoursOfUsers,
  expireOldBalances,
  exportLog,
  keepPartitions,
  packUsageDays,
  reviveChannels,
  sweepAccounts,
  tellOperators,
  updatePrices,
  watchChannels,
  watchOrders,
  watchPrices,
  watchTasks,
  writeBackups,
];

interface JobOptions {
  jobs?: readonly Job[];
  /** Milliseconds without a heartbeat after which a job counts as dead and may be started again. */
  silentAfterMs?: number;
  /** Milliseconds after which administrators are notified that a job is still running. */
  overrunMs?: number;
  /** Called after each run, with its duration. */
  onRun?(job: string, hasSucceeded: boolean, milliseconds: number): void;
}

/** Maximum wait for running jobs at shutdown. */
const LAST_JOBS_MS = 10_000;

/** Maximum wait for an unavailable database at the start, and the pause between two attempts. */
const DATABASE_PATIENCE_MS = 60_000;
const AGAIN_MS = 250;

/**
 * Starts the schedules. `stop` waits for running jobs. One node at a time runs a job, however long it takes:
 * the node sends heartbeats, and another node may start the job only when they stop.
 */
export async function startJobs(
  url: string,
  given: Omit<JobServices, "stopping">,
  {
    jobs = allJobs,
    silentAfterMs = 60_000,
    overrunMs = 15 * 60_000,
    onRun = () => undefined,
  }: JobOptions = {},
): Promise<{ stop(): Promise<void> }> {
  const ending = new AbortController();
  const services: JobServices = { ...given, stopping: ending.signal };
  const { activity, onError } = services;
  const connection = openConnection({
    url,
    applicationName: "gateway-schedules",
    statementMs: 10_000,
    lockMs: 5_000,
    silentMs: 15_000,
    types,
  });
  try {
    const scheduler = await patiently(() =>
      startScheduler({
        connection,
        jobs,
        async run(job) {
          const began = performance.now();
          const hasSucceeded = await runOrNotify(job, services, overrunMs);
          onRun(job.name, hasSucceeded, performance.now() - began);
          return hasSucceeded;
        },
        onChange: () => announce(services.db, "jobs"),
        isResting: () => activity.isResting,
        onError,
        silentAfterMs,
      }),
    );
    const forget = activity.onWake(() => scheduler.wake());
    return {
      async stop() {
        ending.abort();
        forget();
        await Promise.race([scheduler.stop(), sleep(LAST_JOBS_MS, undefined, { ref: false })]);
        await connection.close();
      },
    };
  } catch (error) {
    await connection.close();
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

/**
 * Runs a job and reports failures and overruns. Otherwise they could stay unnoticed for weeks. Never rejects.
 * Returns whether the job succeeded.
 */
async function runOrNotify(job: Job, services: JobServices, overrunMs: number): Promise<boolean> {
  const overrun = setTimeout(() => {
    const minutes = Math.round(overrunMs / 60_000);
    void notify(job, services, reasonOf("jobOverrun", { minutes }));
  }, overrunMs);
  overrun.unref();
  try {
    await job.run(services);
    return true;
  } catch (error) {
    await notify(job, services, reasonFor(error), error);
    return false;
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
