import { PgBoss } from "pg-boss";
import { raiseNotice } from "#domain/notices/notices.ts";
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
import { watchTasks } from "./watch-tasks.ts";

/** The clock: recurring work, each run by one node of all. Thin, like the other doors: a job calls the domain. */
const jobs: readonly Job[] = [
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
  watchTasks,
];

/** Starts the schedules; `stop` lets a running job finish. */
export async function startJobs(
  url: string,
  given: Omit<JobServices, "stopping">,
): Promise<{ stop(): Promise<void> }> {
  const ending = new AbortController();
  const services: JobServices = { ...given, stopping: ending.signal };
  const boss = new PgBoss({ connectionString: url, max: 3, application_name: "gateway-jobs" });
  boss.on("error", (error) => services.onError(error));
  await boss.start();
  for (const job of jobs) {
    await boss.createQueue(job.name, { policy: "singleton", retryLimit: 0 });
    await boss.schedule(job.name, job.every);
    await boss.work(job.name, () => runOrTell(job, services));
    if (job.atStart === true) await boss.send(job.name);
  }
  return {
    stop: () => {
      ending.abort();
      return boss.stop({ graceful: true, close: true, timeout: 10_000 });
    },
  };
}

/** A job that fails quietly is found out weeks later. */
async function runOrTell(job: Job, services: JobServices): Promise<void> {
  try {
    await job.run(services);
  } catch (error) {
    services.onError(error);
    const reason = error instanceof Error ? error.message : String(error);
    const notice = {
      event: "job-failed",
      topic: `job:${job.name}`,
      facts: { job: job.name, reason },
    } as const;
    await raiseNotice(services.db, notice).catch((failure: unknown) => services.onError(failure));
    throw error;
  }
}
