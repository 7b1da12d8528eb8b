import { randomUUID } from "node:crypto";
import { afterEach, expect, it } from "vitest";
import { connectRedis } from "#platform/redis.ts";
import { openSecrets } from "#platform/secrets.ts";
import { redisUrl } from "#test/database.ts";
import { startTcpProxy } from "#test/tcp-proxy.ts";
import { createRequestCounts } from "./request-counts.ts";
import { createLimiter } from "./take.ts";

const opened: ReturnType<typeof connectRedis>[] = [];
afterEach(() => {
  for (const redis of opened.splice(0)) redis.disconnect();
});

async function installation(secretKey: string, url = redisUrl()) {
  const redis = connectRedis({ url, secrets: openSecrets(secretKey), onError() {} });
  opened.push(redis);
  await expect.poll(() => redis.status).toBe("ready");
  return { redis, requestCounts: createRequestCounts({ redis }), limiter: createLimiter({ redis }) };
}

it("redis: nodes of one installation share counts; another installation on the same Redis has its own", async () => {
  const ours = `the secret of one installation ${randomUUID()}`;
  const [one, two, other] = [
    await installation(ours),
    await installation(ours),
    await installation(`the secret of another installation ${randomUUID()}`),
  ];
  const window = { max: 10, windowMs: 60_000 };
  await one.requestCounts.add("192.0.2.1", window);
  expect((await two.requestCounts.add("192.0.2.1", window)).current).toBe(2);
  expect((await other.requestCounts.add("192.0.2.1", window)).current).toBe(1);

  const limit = { key: "account", kind: "requests" as const, perMinute: 1, cost: 1 };
  expect((await one.limiter.take("user1", [limit])).allowed).toBe(true);
  expect((await two.limiter.take("user1", [limit])).allowed).toBe(false);
  expect((await other.limiter.take("user1", [limit])).allowed).toBe(true);

  await one.redis.set("answer:x", "kept");
  expect(await two.redis.get("answer:x")).toBe("kept");
  expect(await other.redis.get("answer:x")).toBeNull();
});

it("redis: a silent connection delays only one request and is replaced", async () => {
  const proxy = await startTcpProxy(redisUrl());
  try {
    const { redis, requestCounts } = await installation(`a secret ${randomUUID()}${randomUUID()}`, proxy.url);
    const window = { max: 1_000, windowMs: 60_000 };
    await requestCounts.add("192.0.2.9", window);
    proxy.silence();
    // Without a time limit of its own, this request would never end.
    await requestCounts.add("192.0.2.9", window);
    await expect.poll(() => redis.incr("after")).toBeGreaterThan(0);
    expect((await requestCounts.add("192.0.2.9", window)).current).toBeGreaterThan(1);
  } finally {
    await proxy.close();
  }
});
