import { PgBoss } from "pg-boss";
import { closeUsageHours } from "./close-hours.ts";
import { closeStatementMonths } from "./close-months.ts";
import type { Job, JobServices } from "./job.ts";
import { keepPartitions } from "./keep-partitions.ts";
import { reviveChannels } from "./revive-channels.ts";
import { sweepAccounts } from "./sweep-accounts.ts";

/** The clock: recurring work, each run by one node of all. Thin, like the other doors: a job calls the domain. */
const jobs: readonly Job[] = [
  closeUsageHours,
  closeStatementMonths,
  keepPartitions,
  reviveChannels,
  sweepAccounts,
];

/** Starts the schedules; `stop` lets a running job finish. */
export async function startJobs(url: string, services: JobServices): Promise<{ stop(): Promise<void> }> {
  const boss = new PgBoss({ connectionString: url, max: 3, application_name: "gateway-jobs" });
  boss.on("error", (error) => services.onError(error));
  await boss.start();
  for (const job of jobs) {
    await boss.createQueue(job.name, { policy: "singleton", retryLimit: 0 });
    await boss.schedule(job.name, job.every);
    await boss.work(job.name, () => job.run(services));
  }
  return { stop: () => boss.stop({ graceful: true, close: true, timeout: 10_000 }) };
}
