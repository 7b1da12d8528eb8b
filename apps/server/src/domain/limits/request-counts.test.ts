import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { redisUrl } from "#test/database.ts";
import { startThrowAwayRedis } from "#test/run/services.ts";
import { createRequestCounts, type RequestCounts } from "./request-counts.ts";

const limit = { max: 30, windowMs: 60_000 };

/** Returns the number of allowed requests, sent to the nodes in rotation. */
async function allowedOf(nodes: RequestCounts[], key: string, requests: number): Promise<number> {
  const counts = await Promise.all(
    Array.from({ length: requests }, async (_, index) => nodes[index % nodes.length]?.add(key, limit)),
  );
  return counts.filter((count) => count !== undefined && count.current <= limit.max).length;
}

describe("request counts in one process", () => {
  it("allow the limit in each window, per key", async () => {
    let time = 0;
    const counts = createRequestCounts({ now: () => time });
    expect(await allowedOf([counts], "a", 40)).toBe(30);
    expect(await allowedOf([counts], "b", 40)).toBe(30);
    time = 59_999;
    expect(await counts.add("a", limit)).toEqual({ current: 31, ttl: 1 });
    time = 60_000;
    expect(await allowedOf([counts], "a", 40)).toBe(30);
  });

  it("add up to the limit on several nodes without Redis", async () => {
    const nodes = [0, 1, 2, 3].map((rank) => createRequestCounts({ share: () => ({ nodes: 4, rank }) }));
    expect(await allowedOf(nodes, "a", 400)).toBe(30);
  });
});

describe("request counts on Redis", () => {
  let redis: Redis;
  beforeAll(() => {
    redis = new Redis(redisUrl());
  });
  afterAll(() => redis.quit());

  it("are shared exactly by nodes, and end with the window", async () => {
    const nodes = [createRequestCounts({ redis }), createRequestCounts({ redis })];
    expect(await allowedOf(nodes, randomUUID(), 100)).toBe(30);
    const brief = { max: 1, windowMs: 1_000 };
    const key = randomUUID();
    expect(await nodes[0]?.add(key, brief)).toMatchObject({ current: 1 });
    expect((await nodes[1]?.add(key, brief))?.current).toBe(2);
    await expect.poll(async () => (await nodes[1]?.add(key, brief))?.current).toBe(1);
  });

  it("keep the used part and divide the rest when Redis becomes unavailable", async () => {
    const own = await startThrowAwayRedis();
    const clients = [0, 1].map(
      () => new Redis(own.url, { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: 500 }),
    );
    try {
      for (const client of clients) client.on("error", () => {});
      await expect.poll(() => clients.every(({ status }) => status === "ready")).toBe(true);
      const nodes = clients.map((client, rank) =>
        createRequestCounts({ redis: client, share: () => ({ nodes: 2, rank }) }),
      );
      for (let n = 0; n < 20; n += 1) await nodes[n % 2]?.add("a", limit);
      await own.stop();
      // The first node knows of 19 requests, the second of 20: (30 - 19) / 2 and (30 - 20) / 2.
      expect(await allowedOf(nodes, "a", 100)).toBe(11);
      expect(await allowedOf(nodes, "not seen before", 100)).toBe(30);
    } finally {
      for (const client of clients) client.disconnect();
      await own.stop();
    }
  });
});
