import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { alwaysActive, createActivity } from "#platform/activity.ts";
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
      activity: alwaysActive,
      onError: (error: unknown) => errors.push(String(error)),
    } as unknown as JobServices;
    const options = { jobs: [job], overrunMs: 500 };
    const nodes = [
      await startJobs(database.url, services, options),
      await startJobs(database.url, services, options),
    ];
    await expect.poll(() => runs.ended).toBeGreaterThan(0);
    expect(runs.most).toBe(1);
    await Promise.all(nodes.map((node) => node.stop()));
    expect(errors).toContain("Error: The job slow-job");
    expect((await notices()).rows[0]?.facts.reason).toContain("continues");
  });
});

/** The services that a job without its own work uses. */
function servicesWith(activity = alwaysActive): JobServices {
  return { db: database.db, pool: database.pool, activity, onError: () => {} } as unknown as JobServices;
}

/** Returns a job that is due when a node starts, and on January 1. */
function countedJob(name: string, work: () => Promise<unknown>) {
  const runs = { now: 0, most: 0, ended: 0 };
  const job: Job = {
    name,
    every: "0 0 1 1 *",
    atStart: true,
    async run() {
      runs.now += 1;
      runs.most = Math.max(runs.most, runs.now);
      await work();
      runs.now -= 1;
      runs.ended += 1;
    },
  };
  return { job, runs };
}

const makeDue = (name: string) =>
  database.pool.query("UPDATE job_schedules SET due_at = now() WHERE name = $1", [name]);

describe("a job of several nodes", () => {
  it("is not started again while heartbeats of its node arrive", async () => {
    const silentAfterMs = 400;
    const { job, runs } = countedJob("long-job", () => sleep(silentAfterMs * 4));
    const activity = createActivity();
    const options = { jobs: [job], silentAfterMs };
    const first = await startJobs(database.url, servicesWith(), options);
    await expect.poll(() => runs.now).toBe(1);
    const second = await startJobs(database.url, servicesWith(activity), options);
    await expect.poll(() => runs.ended).toBe(1);
    expect(runs.most).toBe(1);
    await Promise.all([first.stop(), second.stop()]);
    activity.close();
  });

  it("is started by another node when its node is silent", async () => {
    const { job, runs } = countedJob("lost-job", () => Promise.resolve());
    await startJobs(database.url, servicesWith(), { jobs: [job] }).then(({ stop }) => stop());
    expect(runs.ended).toBe(1);
    await database.pool.query(
      "UPDATE job_schedules SET node_id = 'lost', alive_at = now() - interval '1 hour' WHERE name = 'lost-job'",
    );
    await makeDue("lost-job");
    const other = await startJobs(database.url, servicesWith(), { jobs: [job] });
    await expect.poll(() => runs.ended).toBe(2);
    await other.stop();
  });

  it("is started at once when the rest of a node ends", async () => {
    const { job, runs } = countedJob("resting-job", () => Promise.resolve());
    const activity = createActivity(20);
    const node = await startJobs(database.url, servicesWith(activity), { jobs: [job] });
    await expect.poll(() => runs.ended).toBe(1);
    await expect.poll(() => activity.isResting).toBe(true);
    await makeDue("resting-job");
    activity.touch();
    await expect.poll(() => runs.ended).toBe(2);
    await node.stop();
    activity.close();
  });
});

describe("a node at rest", () => {
  it("starts a job that is due, and leaves another one until its own time at rest", async () => {
    const due = countedJob("due-job", () => Promise.resolve());
    const later = countedJob("later-job", () => Promise.resolve());
    const jobs = [due.job, { ...later.job, every: "* * * * *", restingEvery: "0 0 1 1 *" }];
    const activity = { ...alwaysActive, isResting: true };
    const node = await startJobs(database.url, servicesWith(activity), { jobs });
    await expect.poll(() => due.runs.ended).toBe(1);
    await node.stop();
    expect(later.runs.ended).toBe(0);
    const awake = await startJobs(database.url, servicesWith(), { jobs });
    await expect.poll(() => later.runs.ended).toBe(1);
    await awake.stop();
  });
});

describe("startJobs", () => {
  it("starts although Postgres drops connections meanwhile", async () => {
    const proxy = await startTcpProxy(database.url);
    const errors: unknown[] = [];
    const services = {
      db: database.db,
      pool: database.pool,
      activity: alwaysActive,
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
      const { rows } = await database.pool.query("SELECT 1 FROM job_schedules WHERE name = 'rare-job'");
      expect(rows).toHaveLength(1);
      await stop();
    } finally {
      clearInterval(striking);
      await proxy.close();
    }
  }, 90_000);
});
