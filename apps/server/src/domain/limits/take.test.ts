import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { redisUrl } from "#test/database.ts";
import { startThrowAwayRedis } from "#test/run/services.ts";
import { giveBack, type Limit, shareOf, step } from "./levels.ts";
import { createLimiter, type Limiter, type RateDecision } from "./take.ts";

const requests = (perMinute: number, key = "account"): Limit => ({
  key,
  kind: "requests",
  perMinute,
  cost: 1,
});
const tokens = (perMinute: number, cost: number): Limit => ({
  key: "token-tokens",
  kind: "tokens",
  perMinute,
  cost,
});

describe("step and giveBack", () => {
  it("counts requests in a window of one minute below 60 per minute", () => {
    const first = step(undefined, requests(2), 0);
    const second = step(first.level, requests(2), 10_000);
    const third = step(second.level, requests(2), 20_000);
    expect([first, second, third].map(({ take }) => take.allowed)).toEqual([true, true, false]);
    expect(third.take).toMatchObject({ remaining: 0, resetSeconds: 40 });
    expect(step(third.level, requests(2), 60_000).take.allowed).toBe(true);
  });

  it("refills a bucket continuously from 60 per minute on, and keeps fractions", () => {
    // 100 a minute is 1.67 a second: after ten seconds of full use, three more within two seconds.
    let level = step(undefined, requests(100), 0).level;
    let served = 1;
    for (let at = 0; at < 12_000; at += 10) {
      const next = step(level, requests(100), at);
      level = next.level;
      if (next.take.allowed) served += 1;
    }
    expect(served).toBe(Math.floor((100 / 60) * 10 + (100 / 60) * 11.99));
  });

  it("holds the tokens of one minute, reports the wait for missing tokens, and keeps a debt", () => {
    const first = step(undefined, tokens(600, 500), 0);
    expect(first.take).toMatchObject({ allowed: true, remaining: 100 });
    const second = step(first.level, tokens(600, 500), 0);
    expect(second.take).toMatchObject({ allowed: false, remaining: 100, resetSeconds: 40 });
    const back = giveBack(first.level, tokens(600, 500), 20);
    expect(step(back, tokens(600, 500), 0).take.allowed).toBe(true);
    const debt = giveBack(first.level, tokens(600, 500), 1_200);
    expect(step(debt, tokens(600, 10), 0).take).toMatchObject({
      allowed: false,
      remaining: 0,
      resetSeconds: 61,
    });
  });

  it("allows a request larger than the limit if nothing else was used", () => {
    const first = step(undefined, tokens(600, 5_000), 0);
    expect(first.take).toMatchObject({ allowed: true, remaining: 0 });
    expect(step(first.level, tokens(600, 5_000), 59_000).take.allowed).toBe(false);
  });
});

describe("shareOf", () => {
  it("adds up to the limit for any limit and any number of nodes", () => {
    for (const limit of [0, 1, 2, 3, 10, 59, 60, 61, 600])
      for (const nodes of [1, 2, 3, 7]) {
        const shares = Array.from({ length: nodes }, (_, rank) => shareOf(limit, { nodes, rank }));
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(limit);
      }
  });
});

async function burst(
  limiters: Limiter[],
  owner: string,
  limits: Limit[],
  count: number,
): Promise<RateDecision[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => limiters[index % limiters.length]!.take(owner, limits)),
  );
}

/** Returns the number of scripts that this Redis has executed. */
async function scripts(redis: Redis): Promise<number> {
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.info("commandstats"))?.[1] ?? 0);
}

/** Returns how many requests a limit has refilled since this moment of `performance.now()`, and one for rounding. */
const refilledSince = (began: number, perMinute: number) =>
  1 + ((performance.now() - began) / 60_000) * perMinute;

const allowed = (takes: RateDecision[]) => takes.filter((take) => take.allowed).length;

describe("limits in one process", () => {
  it("take from all limits or from none", async () => {
    const limiter = createLimiter();
    const owner = randomUUID();
    const both = [requests(20), requests(5, "token1")];
    expect(allowed(await burst([limiter], owner, both, 30))).toBe(5);
    // The requests that the token limit rejected took nothing from the account.
    expect(allowed(await burst([limiter], owner, [requests(20)], 30))).toBe(15);
  });

  it("return the tokens that a call did not use", async () => {
    const limiter = createLimiter();
    const owner = randomUUID();
    const limit = tokens(1_000, 1_000);
    expect(allowed(await burst([limiter], owner, [limit], 3))).toBe(1);
    limiter.giveBack(owner, limit, 10);
    expect(allowed(await burst([limiter], owner, [tokens(1_000, 495)], 3))).toBe(2);
  });

  it.each([5, 600])("take back a request that was not served, at %i a minute", async (perMinute) => {
    const limiter = createLimiter();
    const owner = randomUUID();
    const limit = requests(perMinute);
    const served = allowed(await burst([limiter], owner, [limit], perMinute));
    expect((await limiter.take(owner, [limit])).allowed).toBe(false);
    limiter.giveBack(owner, limit, 0);
    expect((await limiter.take(owner, [limit])).allowed).toBe(true);
    expect(served).toBeGreaterThan(0);
  });

  it("report a rejection as worth noting once per second", async () => {
    const limiter = createLimiter({ now: () => 5_000 });
    const takes = await burst([limiter], "somebody", [requests(1)], 10);
    expect(takes.filter((take) => take.worthNoting)).toHaveLength(1);
  });
});

describe("limits on Redis", () => {
  let redis: Redis;
  beforeAll(() => {
    redis = new Redis(redisUrl());
  });
  afterAll(() => redis.quit());

  it("are shared exactly by nodes", async () => {
    const nodes = [createLimiter({ redis }), createLimiter({ redis })];
    const takes = await burst(nodes, randomUUID(), [requests(30)], 40);
    expect(allowed(takes)).toBe(30);
    expect(takes.find((take) => !take.allowed)?.takes[0]).toMatchObject({ limit: 30, remaining: 0 });
  });

  it("allow a whole burst and no request more", async () => {
    const began = performance.now();
    const most = allowed(await burst([createLimiter({ redis })], randomUUID(), [requests(60)], 30));
    expect(most).toBeGreaterThanOrEqual(10);
    expect(most).toBeLessThanOrEqual(10 + refilledSince(began, 60));
  });

  it("take from an account, a token and its tokens together, or from none", async () => {
    const nodes = [createLimiter({ redis }), createLimiter({ redis })];
    const owner = randomUUID();
    const all = [requests(50), requests(20, "token1"), tokens(1_000, 100)];
    const takes = await burst(nodes, owner, all, 40);
    expect(allowed(takes)).toBe(10);
    expect(takes.find((take) => !take.allowed)?.takes.map((take) => take.allowed)).toEqual([
      true,
      true,
      false,
    ]);
    expect(allowed(await burst(nodes, owner, [requests(20, "token1")], 40))).toBe(10);
    expect(allowed(await burst(nodes, owner, [requests(50)], 60))).toBe(40);
  });

  it("let two nodes take slices of a large limit without exceeding it", async () => {
    const perMinute = 12_000;
    const clients = [new Redis(redisUrl()), new Redis(redisUrl())];
    const nodes = clients.map((client) => createLimiter({ redis: client }));
    const owner = randomUUID();
    const began = performance.now();
    let served = 0;
    let refused = 0;
    const client = async (node: Limiter) => {
      while (refused < 400) {
        const taken = await node.take(owner, [requests(perMinute)]);
        if (taken.allowed) served += 1;
        else refused += 1;
        // A request counted inside a slice resolves at once, and must not keep the others from querying
        // Redis.
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await Promise.all(Array.from({ length: 40 }, (_, index) => client(nodes[index % 2]!)));
    const whole = perMinute / 6;
    expect(served).toBeLessThanOrEqual(whole + refilledSince(began, perMinute));
    // Slices are given back: at most one slice per node stays unused.
    expect(served).toBeGreaterThan(whole * 0.95);
    for (const each of clients) each.disconnect();
  });

  it("query Redis once for many requests of a large limit, and report the remaining requests", async () => {
    const service = await startThrowAwayRedis();
    const own = new Redis(service.url);
    const limiter = createLimiter({ redis: own });
    const limit = requests(600_000);
    const before = await scripts(own);
    const remaining: (number | undefined)[] = [];
    for (let n = 0; n < 400; n += 1) {
      const { allowed: fits, takes } = await limiter.take("user1", [limit]);
      expect(fits).toBe(true);
      expect(takes[0]).toMatchObject({ limit: 600_000 });
      remaining.push(takes[0]?.remaining);
    }
    expect((await scripts(own)) - before).toBeLessThan(40);
    // A limit is full again after ten seconds, and refills with ten requests per millisecond.
    expect(remaining.every((left) => left !== undefined && left > 99_000 && left < 100_000)).toBe(true);
    own.disconnect();
    await service.stop();
  });

  it("return what is left of a slice", async () => {
    const limiter = createLimiter({ redis });
    const owner = randomUUID();
    const slow = requests(6_000);
    const began = performance.now();
    for (let n = 0; n < 500; n += 1) await limiter.take(owner, [slow]);
    const level = async () => Number(await redis.hget(`limit:{${owner}}:account:level`, "v"));
    const at = await level();
    await expect.poll(level).toBeGreaterThan(at);
    const rest = await burst([createLimiter({ redis })], owner, [slow], 1_000);
    expect(allowed(rest)).toBeGreaterThan(490);
    expect(allowed(rest)).toBeLessThan(530 + refilledSince(began, 6_000) + 100);
  });

  it("of accounts and tokens are taken together, also in slices", async () => {
    const limiter = createLimiter({ redis });
    const owner = randomUUID();
    const both = [requests(60_000), requests(6_000, "token1")];
    const began = performance.now();
    const takes = await burst([limiter], owner, both, 1_500);
    expect(allowed(takes)).toBeGreaterThanOrEqual(995);
    expect(allowed(takes)).toBeLessThan(1_100 + refilledSince(began, 6_000));
    const last = takes.at(-1)?.takes;
    expect(last?.map((take) => take.allowed)).toEqual([true, false]);
    expect(last?.[1]).toMatchObject({ limit: 6_000, remaining: 0, resetSeconds: 1 });
    // The requests that the token limit rejected took nothing from the account.
    expect(last?.[0]?.remaining).toBeGreaterThan(8_000);
  });

  it("take back a request that was not served, for all nodes", async () => {
    const [one, other] = [createLimiter({ redis }), createLimiter({ redis })];
    for (const limit of [requests(5), requests(600)]) {
      const owner = randomUUID();
      await burst([one], owner, [limit], limit.perMinute);
      one.giveBack(owner, limit, 0);
      await expect.poll(async () => (await other.take(owner, [limit])).allowed).toBe(true);
    }
  });

  it("return tokens for all nodes, and keep a debt", async () => {
    const [one, other] = [createLimiter({ redis }), createLimiter({ redis })];
    const owner = randomUUID();
    const limit = tokens(60_000, 60_000);
    expect(allowed(await burst([one], owner, [limit], 2))).toBe(1);
    one.giveBack(owner, limit, 0);
    await expect.poll(async () => (await other.take(owner, [limit])).allowed).toBe(true);
    other.giveBack(owner, limit, 90_000);
    await expect
      .poll(async () => (await one.take(owner, [tokens(60_000, 1)])).takes[0]?.resetSeconds)
      .toBeGreaterThan(25);
  });

  it("block for at most a minute when the clock of Redis is set back", async () => {
    const limiter = createLimiter({ redis });
    const owner = randomUUID();
    const both = [requests(1), requests(600, "token1")];
    expect(allowed(await burst([limiter], owner, both, 2))).toBe(1);
    const inAnHour = Date.now() + 3_600_000;
    for (const state of ["account:count", "token1:level"])
      await redis.hset(`limit:{${owner}}:${state}`, "a", inAnHour);
    const { takes } = await limiter.take(owner, both);
    expect(takes[0]).toMatchObject({ allowed: false, remaining: 0, resetSeconds: 60 });
    expect(takes[1]).toMatchObject({ allowed: true, remaining: 99 });
    expect(Number(await redis.hget(`limit:{${owner}}:account:count`, "a"))).toBeLessThan(inAnHour);
  });

  it("become the share of this node when Redis was never available", async () => {
    const lost = new Redis({
      port: 1,
      lazyConnect: true,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
    });
    lost.on("error", () => {});
    const nodes = [0, 1, 2].map((rank) => createLimiter({ redis: lost, share: () => ({ nodes: 3, rank }) }));
    const owner = randomUUID();
    const each = await Promise.all(nodes.map((node) => burst([node], owner, [requests(31)], 40)));
    expect(each.map(allowed)).toEqual([11, 10, 10]);
    const single = await Promise.all(nodes.map((node) => burst([node], randomUUID(), [requests(1)], 5)));
    expect(single.map(allowed)).toEqual([1, 0, 0]);
    lost.disconnect();
  });

  it("are not exceeded when Redis is lost in the middle of a minute", async () => {
    const service = await startThrowAwayRedis();
    const doomed = new Redis(service.url, { enableOfflineQueue: false, maxRetriesPerRequest: 0 });
    doomed.on("error", () => {});
    await new Promise((resolve) => doomed.once("ready", resolve));
    let now = 1_000_000;
    const nodes = [0, 1].map((rank) =>
      createLimiter({ redis: doomed, share: () => ({ nodes: 2, rank }), now: () => now }),
    );
    const owner = randomUUID();
    expect(allowed(await burst(nodes, owner, [requests(10)], 30))).toBe(10);
    await service.stop();
    expect(allowed(await burst(nodes, owner, [requests(10)], 30))).toBe(0);
    now += 60_000;
    expect(allowed(await burst(nodes, owner, [requests(10)], 30))).toBe(10);
    doomed.disconnect();
  });
});
