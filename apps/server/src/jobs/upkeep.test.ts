import { defaultSettings, type Settings } from "@gateway/shared/site/settings";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBodyLog } from "#domain/logs/bodies.ts";
import { ensurePartitions, listPartitions } from "#domain/logs/partitions.ts";
import type { Database } from "#platform/database/db.ts";
import { openSecrets } from "#platform/secrets.ts";
import { openTestDatabase } from "#test/database.ts";
import { auditBalances } from "./audit-balances.ts";
import type { JobServices } from "./job.ts";
import { keepPartitions } from "./keep-partitions.ts";
import { sweepAccounts } from "./sweep-accounts.ts";

let database: Database;
const dayMs = 86_400_000;

beforeAll(async () => {
  database = await openTestDatabase({ max: 4 });
});
afterAll(async () => {
  await database.close();
});

/** The services that these jobs use. */
function servicesWith(settings: Partial<Settings>): JobServices {
  const { db, pool } = database;
  const current = () => ({ ...defaultSettings, ...settings });
  return { db, pool, probe: { settings: { current } } } as unknown as JobServices;
}

const daysAgo = (days: number) => new Date(Date.now() - days * dayMs);
const dayOf = (days: number) => daysAgo(days).toISOString().slice(0, 10);

async function keptDays(table: string): Promise<string[]> {
  const partitions = await listPartitions(database.pool);
  const today = dayOf(0);
  return partitions.filter((one) => one.table === table && one.day < today).map((one) => one.day);
}

describe("log retention", () => {
  it("drops days by age, bodies by their own age, and days by size", async () => {
    for (const days of [20, 9, 5, 1]) await ensurePartitions(database.pool, 0, { now: daysAgo(days) });
    await keepPartitions.run(servicesWith({ LogRetentionDays: 10, BodyRetentionDays: 3 }));
    expect(await keptDays("request_logs")).toEqual([dayOf(9), dayOf(5), dayOf(1)]);
    expect(await keptDays("request_bodies")).toEqual([dayOf(1)]);

    // Writing more than a gigabyte takes too long. A size close to zero has the same effect.
    const bodies = createBodyLog({
      pool: database.pool,
      secrets: openSecrets("a secret that only this test run knows"),
      onError: (error) => expect.unreachable(String(error)),
      onDropped: () => expect.unreachable(),
    });
    bodies.keep({
      requestId: "kept",
      createdAt: daysAgo(1),
      userId: 1,
      byToken: true,
      request: "x".repeat(100_000),
      requestBytes: 100_000,
      response: "",
      responseBytes: 0,
    });
    await bodies.close();
    await keepPartitions.run(servicesWith({ LogRetentionGigabytes: 1 }));
    expect(await keptDays("request_logs")).toHaveLength(3);
    await keepPartitions.run(servicesWith({ LogRetentionGigabytes: 1e-9 }));
    expect(await keptDays("request_logs")).toEqual([]);
    expect(await keptDays("request_bodies")).toEqual([]);
  });
});

describe("channel event retention", () => {
  it("deletes a channel's events after half a year, but never its newest twenty", async () => {
    const { db } = database;
    const old = daysAgo(181);
    const channel = (name: string) => db.channel.create({ data: { name, type: 1 } });
    const [busy, quiet] = [await channel("busy"), await channel("quiet")];
    const events = (channel_id: number, count: number, created_time: Date) =>
      Array.from({ length: count }, (_, index) => ({ channel_id, created_time, kind: `${index}` }));
    await db.channelEvent.createMany({
      data: [...events(busy.id, 30, old), ...events(busy.id, 5, daysAgo(179)), ...events(quiet.id, 7, old)],
    });
    await sweepAccounts.run(servicesWith({}));
    const kept = (channel_id: number) => db.channelEvent.count({ where: { channel_id } });
    expect([await kept(busy.id), await kept(quiet.id)]).toEqual([20, 7]);
    const first = await db.channelEvent.findFirst({
      where: { channel_id: busy.id },
      orderBy: { id: "asc" },
    });
    expect(first?.kind).toBe("15");
  });
});

describe("the hourly sweep", () => {
  it("goes on after a step that fails, and then reports the failure", async () => {
    const { db, pool } = database;
    const { id } = await db.channel.create({ data: { name: "old", type: 1 } });
    const data = Array.from({ length: 21 }, () => ({
      channel_id: id,
      created_time: daysAgo(181),
      kind: "x",
    }));
    await db.channelEvent.createMany({ data });
    await pool.query("ALTER TABLE one_time_codes RENAME TO hidden_codes");
    try {
      await expect(sweepAccounts.run(servicesWith({}))).rejects.toThrow("one_time_codes");
    } finally {
      await pool.query("ALTER TABLE hidden_codes RENAME TO one_time_codes");
    }
    expect(await db.channelEvent.count({ where: { channel_id: id } })).toBe(20);
  });
});

describe("nightly audit", () => {
  it("stores its result, and fails with the account when balances drift", async () => {
    await auditBalances.run(servicesWith({}));
    const user = await database.db.user.create({ data: { username: "somebody", aff_code: "x" } });
    await database.pool.query("UPDATE users SET quota = 9 WHERE id = $1", [user.id]);
    await expect(auditBalances.run(servicesWith({}))).rejects.toThrow(`user-quota ${user.id}`);
    const runs = await database.db.auditRun.findMany({ orderBy: { id: "asc" } });
    expect(runs.map((run) => Number(run.drift))).toEqual([0, 9]);
  });
});
