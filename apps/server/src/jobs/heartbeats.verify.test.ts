import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { openTestDatabase } from "#test/database.ts";
import { startJobs } from "./index.ts";
import type { Job, JobServices } from "./job.ts";

/** pg-boss accepts no heartbeat below ten seconds, so the job takes longer than that. */
it("a job that takes longer than the heartbeat runs once on two nodes", async () => {
  const database = await openTestDatabase({ max: 4 });
  const runs = { now: 0, most: 0, ended: 0 };
  const job: Job = {
    name: "long-job",
    every: "0 0 1 1 *",
    atStart: true,
    async run() {
      runs.now += 1;
      runs.most = Math.max(runs.most, runs.now);
      await sleep(14_000);
      runs.now -= 1;
      runs.ended += 1;
    },
  };
  // The services that a job without its own work uses.
  const services = { db: database.db, pool: database.pool, onError: () => {} } as unknown as JobServices;
  const options = { jobs: [job], heartbeatSeconds: 10, lookSeconds: 1 };
  const nodes = [
    await startJobs(database.url, services, options),
    await startJobs(database.url, services, options),
  ];
  await expect.poll(() => runs.ended, { timeout: 60_000 }).toBeGreaterThan(0);
  expect(runs.most).toBe(1);
  // Read before the nodes stop, because stopping ends what the second node has started since.
  const { rows } = await database.pool.query<{ state: string }>(
    "SELECT state::text FROM pgboss.job WHERE name = 'long-job'",
  );
  expect(rows.map(({ state }) => state)).not.toContain("failed");
  await Promise.all(nodes.map((node) => node.stop()));
  await database.close();
});
