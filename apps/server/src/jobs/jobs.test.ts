import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";
import { startTcpProxy } from "#test/tcp-proxy.ts";
import { startJobs } from "./index.ts";
import type { Job, JobServices } from "./job.ts";

let database: Database;

beforeAll(async () => {
  database = await openTestDatabase({ max: 4 });
});
afterAll(async () => {
  await database.close();
});

describe("recurring jobs", () => {
  it("run on one of two nodes at a time, and report an overrun while they continue", async () => {
    const runs = { now: 0, most: 0, ended: 0, begun: 0 };
    const errors: string[] = [];
    const notices = () =>
      database.pool.query<{ facts: { reason: string } }>(
        "SELECT facts FROM notices WHERE topic = 'job:slow-job'",
      );
    const job: Job = {
      name: "slow-job",
      every: "0 0 1 1 *",
      atStart: true,
      async run() {
        runs.begun += 1;
        runs.now += 1;
        runs.most = Math.max(runs.most, runs.now);
        await expect.poll(async () => (await notices()).rows).toHaveLength(1);
        runs.now -= 1;
        runs.ended += 1;
      },
    };
    // The services that a job without its own work uses.
    const services = {
      db: database.db,
      pool: database.pool,
      onError: (error: unknown) => errors.push(String(error)),
    } as unknown as JobServices;
    // A node looks for jobs several times before the overrun.
    const options = { jobs: [job], overrunMs: 2_000, lookSeconds: 1 };
    const nodes = [
      await startJobs(database.url, services, options),
      await startJobs(database.url, services, options),
    ];
    await expect.poll(() => runs.ended).toBeGreaterThan(0);
    expect(runs.most).toBe(1);
    // Read before the nodes stop, because stopping ends what the second node has started since.
    const { rows } = await database.pool.query<{ state: string }>(
      "SELECT state::text FROM pgboss.job WHERE name = 'slow-job'",
    );
    expect(rows.map(({ state }) => state)).not.toContain("failed");
    await Promise.all(nodes.map((node) => node.stop()));
    expect(errors).toContain("Error: The job slow-job");
    expect((await notices()).rows[0]?.facts.reason).toContain("continues");
  });
});

describe("startJobs", () => {
  it("starts although Postgres drops connections meanwhile", async () => {
    const proxy = await startTcpProxy(database.url);
    const errors: unknown[] = [];
    const services = {
      db: database.db,
      pool: database.pool,
      onError: (error: unknown) => errors.push(error),
    } as unknown as JobServices;
    const job: Job = { name: "rare-job", every: "0 0 1 1 *", run: () => Promise.resolve() };
    let cuts = 0;
    const striking = setInterval(() => {
      if (proxy.count() === 0 || cuts === 3) return;
      cuts += 1;
      proxy.cut();
    }, 1);
    try {
      const { stop } = await startJobs(proxy.url, services, { jobs: [job] });
      expect(cuts).toBe(3);
      const { rows } = await database.pool.query("SELECT 1 FROM pgboss.queue WHERE name = 'rare-job'");
      expect(rows).toHaveLength(1);
      await stop();
    } finally {
      clearInterval(striking);
      await proxy.close();
    }
  }, 90_000);
});
