import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { redisUrl } from "#test/database.ts";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { startThrowAwayRedis } from "#test/run/services.ts";

/** Two nodes on one database and one Redis: changes on one apply on the other. */
/** The nodes count each other so often, in milliseconds, instead of every ten seconds. */
const often = { nodeTimes: { countMs: 250, beatMs: 100 } };
let here: TestGateway;
let there: TestGateway;

beforeAll(async () => {
  here = await startTestGateway({ REDIS_URL: redisUrl() });
  there = await startTestGateway({ REDIS_URL: redisUrl() }, here);
});
afterAll(async () => {
  await there.stop();
  await here.stop();
});

async function call(gateway: TestGateway, key: string): Promise<number> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "Hi" }] }),
  });
  await response.text();
  return response.status;
}

/** Waits until the other node returns this status. */
const settles = (key: string, wanted: number) =>
  expect.poll(() => call(there, key), { interval: 10 }).toBe(wanted);

describe("two nodes", () => {
  it("serve a session through the same channel and key, which they learn from Redis", async () => {
    const { key } = await here.addToken();
    const channels: number[] = [];
    for (const name of ["a", "b", "c"]) {
      const keys = [1, 2, 3].map((number) => `${name}-${number}`).join("\n");
      channels.push((await here.addChannel({ type: 8, name, key: keys, models: ["session-model"] })).id);
    }
    await here.addPrice("session-model");
    const ask = async (node: TestGateway, session: string) => {
      const response = await fetch(`${node.url}/v1/chat/completions`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          "x-session-id": session,
        },
        body: JSON.stringify({ model: "session-model", messages: [{ role: "user", content: "Hi" }] }),
      });
      await response.text();
      return response.status;
    };
    await expect.poll(() => ask(there, "other")).toBe(200);
    const usedBy = () => here.upstream.calls().at(-1)?.key;
    for (let session = 0; session < 3; session += 1) {
      expect(await ask(here, `shared-${session}`)).toBe(200);
      const first = usedBy();
      expect(first).toMatch(/^[abc]-[123]$/);
      // The first call on the other node looks the session up in the background; later ones know it.
      await expect
        .poll(async () => [await ask(there, `shared-${session}`), usedBy()], { interval: 10 })
        .toEqual([200, first]);
      for (let call = 0; call < 2; call += 1) {
        await ask(there, `shared-${session}`);
        expect(usedBy()).toBe(first);
      }
    }
    for (const id of channels) await here.api("DELETE", `/channel/${id}`);
  });

  it("know each other's channels, tokens and accounts", async () => {
    const { key, id } = await here.addToken();
    expect(await call(there, key)).toBe(404);
    const channel = await here.addChannel({ type: 900, name: "demo" });
    await settles(key, 200);
    await here.api("PATCH", `/channel/${channel.id}`, { status: 2 });
    await settles(key, 404);
    await here.api("PATCH", `/channel/${channel.id}`, { status: 1 });
    await settles(key, 200);
    await here.api("PATCH", `/token/${id}`, { status: 2 });
    await settles(key, 401);
    await here.api("PATCH", `/token/${id}`, { status: 1 });
    await settles(key, 200);
    await here.api("DELETE", `/token/${id}`);
    await settles(key, 401);
  });

  it("stop and start to serve a model that is disabled everywhere", async () => {
    const channel = await here.addChannel({ type: 900, name: "demo" });
    const { key } = await here.addToken();
    await settles(key, 200);
    await here.api("PUT", "/disabled_models", { model: "demo-chat", disabled: true });
    expect(await call(here, key)).toBe(404);
    await settles(key, 404);
    await here.api("PUT", "/disabled_models", { model: "demo-chat", disabled: false });
    await settles(key, 200);
    await here.api("DELETE", `/channel/${channel.id}`);
  });

  it("share one limit and one balance", async () => {
    const { key } = await here.addToken();
    for (const node of [here, there]) await node.allow(30);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => call(index % 2 === 0 ? here : there, key)),
    );
    expect(answers.filter((status) => status === 200)).toHaveLength(30);
    expect(answers.filter((status) => status === 429)).toHaveLength(30);
    expect(await here.drift()).toBe(0n);
  });
});

/** Sends requests to /api of the nodes in turn; returns how many were allowed. */
async function allowed(nodes: TestGateway[], count: number, from: string): Promise<number> {
  let ok = 0;
  for (let n = 0; n < count; n += 1) {
    const response = await fetch(`${nodes[n % nodes.length]?.url}/api/status`, {
      headers: { "api-version": "2", "x-forwarded-for": from },
    });
    await response.arrayBuffer();
    if (response.ok) ok += 1;
  }
  return ok;
}

describe("rate limit of /api on two nodes", { timeout: 120_000 }, () => {
  it("is one count in Redis, and is divided when Redis stops", async () => {
    const redis = await startThrowAwayRedis();
    const env = { REDIS_URL: redis.url, API_RATE_LIMIT: "20" };
    const one = await startTestGateway(env, undefined, often);
    const other = await startTestGateway(env, one, often);
    try {
      expect(await allowed([one, other], 40, "203.0.113.1")).toBe(20);
      await redis.stop();
      // Each check uses its own client address.
      let looks = 0;
      const after = () => allowed([one, other], 60, `203.0.114.${(looks += 1)}`);
      await expect.poll(after, { timeout: 60_000, interval: 500 }).toBeLessThanOrEqual(20);
      expect(await after()).toBeGreaterThanOrEqual(18);
      expect(await allowed([one, other], 40, "203.0.113.1")).toBe(0);
    } finally {
      await other.stop();
      await one.stop();
      await redis.stop();
    }
  });

  it("is divided without Redis, like the limits of keys, and each node logs one warning", async () => {
    const env = { API_RATE_LIMIT: "20", LOG_LEVEL: "warn" };
    const one = await startTestGateway(env, undefined, often);
    const other = await startTestGateway(env, one, often);
    try {
      for (const node of [one, other])
        await expect.poll(() => warnings(node), { timeout: 60_000, interval: 50 }).toBe(1);
      expect(await allowed([one, other], 40, "203.0.113.3")).toBe(20);
      await one.addChannel({ type: 900, name: "demo" });
      const { key } = await one.addToken();
      await expect.poll(() => call(other, key)).toBe(200);
      for (const node of [one, other]) await node.allow(30);
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, index) => call(index % 2 === 0 ? one : other, key)),
      );
      const served = answers.filter((status) => status === 200).length;
      expect(served).toBeGreaterThan(20);
      expect(served).toBeLessThanOrEqual(30);
      expect(await warnings(one)).toBe(1);
    } finally {
      await other.stop();
      await one.stop();
    }
  });
});

/** Returns the node's log lines about Redis. Each request uses its own client address. */
async function warnings(node: TestGateway): Promise<number> {
  const lines = await node.api<{ Message: string }[]>("POST", "/system_info/log", { count: 500 });
  return lines.filter(({ Message }) => Message.includes("REDIS_URL is not set")).length;
}
