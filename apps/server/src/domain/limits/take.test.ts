import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { redisUrl } from "#test/database.ts";
import { createLimiter, type Limiter, step } from "./take.ts";

describe("one step of a limit", () => {
  it("counts the requests of a minute below 60", () => {
    const first = step(undefined, 2, 0);
    const second = step(first.level, 2, 10_000);
    const third = step(second.level, 2, 20_000);
    expect([first, second, third].map(({ take }) => take.allowed)).toEqual([true, true, false]);
    expect(third.take).toMatchObject({ remaining: 0, resetSeconds: 40 });
    expect(step(third.level, 2, 60_000).take.allowed).toBe(true);
  });

  it("refills a bucket continuously from 60 on, and keeps fractions", () => {
    // 100 a minute is 1.67 a second: after ten seconds of full use, three more within two seconds.
    let level = step(undefined, 100, 0).level;
    let served = 1;
    for (let at = 0; at < 12_000; at += 10) {
      const next = step(level, 100, at);
      level = next.level;
      if (next.take.allowed) served += 1;
    }
    expect(served).toBe(Math.floor((100 / 60) * 10 + (100 / 60) * 11.99));
  });
});

async function take(limiter: Limiter, key: string, perMinute: number) {
  return limiter.take(key, perMinute);
}

describe("limits on Redis", () => {
  let redis: Redis;
  beforeAll(() => {
    redis = new Redis(redisUrl());
  });
  afterAll(() => redis.quit());

  it("are shared by nodes, exactly", async () => {
    const nodes = [createLimiter({ redis }), createLimiter({ redis })];
    const key = randomUUID();
    const takes = await Promise.all(
      Array.from({ length: 40 }, (_, index) => take(nodes[index % 2]!, key, 30)),
    );
    expect(takes.filter((take) => take.allowed)).toHaveLength(30);
  });

  it("hold a whole burst and not one request more", async () => {
    const limiter = createLimiter({ redis });
    const key = randomUUID();
    const takes = await Promise.all(Array.from({ length: 30 }, () => take(limiter, key, 60)));
    expect(takes.filter((take) => take.allowed)).toHaveLength(10);
  });

  it("become this node's share, never more, when Redis is away", async () => {
    const lost = new Redis({
      port: 1,
      lazyConnect: true,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
    });
    lost.on("error", () => {});
    const limiter = createLimiter({ redis: lost, nodes: () => 3 });
    const key = randomUUID();
    const takes = [];
    for (let index = 0; index < 30; index += 1) takes.push(await limiter.take(key, 30));
    expect(takes.filter((take) => take.allowed)).toHaveLength(10);
    lost.disconnect();
  });
});
