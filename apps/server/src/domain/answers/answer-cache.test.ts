import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSecrets } from "#platform/secrets.ts";
import { startThrowAwayRedis } from "#test/run/services.ts";
import { createAnswerCache, type RememberedAnswer } from "./answer-cache.ts";

const secrets = openSecrets("a secret that only this test knows");

const answer = (text: string): RememberedAnswer => ({
  kind: "body",
  headers: { "content-type": "application/json" },
  text,
  usage: { input: 3, output: 4 },
  group: "default",
  billedModel: "m",
  upstreamModel: "m",
  madeAt: 1_000,
});

describe("answers cached in the process", () => {
  it("are found until they expire", async () => {
    let now = 0;
    const cache = createAnswerCache({ secrets, now: () => now });
    expect(await cache.find("request")).toBeUndefined();
    cache.keep("request", answer("hello"), 10);
    now = 9_999;
    expect(await cache.find("request")).toEqual(answer("hello"));
    expect(await cache.find("another request")).toBeUndefined();
    now = 10_000;
    expect(await cache.find("request")).toBeUndefined();
  });

  it("are evicted over capacity, least recently used first", async () => {
    const cache = createAnswerCache({ secrets, capacity: 30 });
    for (const name of ["a", "b", "c"]) cache.keep(name, answer(name.repeat(10)), 60);
    await cache.find("a");
    cache.keep("d", answer("d".repeat(10)), 60);
    const there = async (name: string) => (await cache.find(name)) !== undefined;
    expect([await there("a"), await there("b"), await there("c"), await there("d")]).toEqual([
      true,
      false,
      true,
      true,
    ]);
    cache.keep("e", answer("e".repeat(31)), 60);
    expect(await there("e")).toBe(false);
    cache.keep("f", answer("f".repeat(30)), 60);
    cache.keep("f", answer("f".repeat(30)), 60);
    expect(await there("f")).toBe(true);
  });
});

describe("answers cached in Redis", () => {
  let service: Awaited<ReturnType<typeof startThrowAwayRedis>>;
  let redis: Redis;

  beforeAll(async () => {
    service = await startThrowAwayRedis();
    redis = new Redis(service.url, { maxRetriesPerRequest: 0, enableOfflineQueue: false, lazyConnect: true });
    redis.on("error", () => {});
    await redis.connect();
  });
  afterAll(async () => {
    redis.disconnect();
    await service.stop();
  });

  it("are found by every node, expire automatically, and are encrypted", async () => {
    const [here, there] = [createAnswerCache({ secrets, redis }), createAnswerCache({ secrets, redis })];
    here.keep("what is a secret?", answer("something private"), 60);
    expect(await there.find("what is a secret?")).toEqual(answer("something private"));
    const [name = ""] = await redis.keys("answer:*");
    expect(name).not.toContain("secret");
    expect((await redis.getBuffer(name))?.includes("private")).toBe(false);
    expect(await redis.ttl(name)).toBeGreaterThan(50);
  });

  it("are not found if another secret encrypted them, if they were modified, or without Redis", async () => {
    const cache = createAnswerCache({ secrets, redis });
    cache.keep("q", answer("a"), 60);
    expect(await cache.find("q")).toBeDefined();
    const stranger = createAnswerCache({ secrets: openSecrets("another secret, of another time"), redis });
    expect(await stranger.find("q")).toBeUndefined();
    for (const name of await redis.keys("answer:*")) await redis.set(name, "nonsense");
    expect(await cache.find("q")).toBeUndefined();
    await service.stop();
    expect(await cache.find("q")).toBeUndefined();
    cache.keep("q", answer("a"), 60);
  });
});
