import { randomInt } from "node:crypto";
import type { TokenRow } from "@gateway/shared/accounts/token";
import type { ChannelRow } from "@gateway/shared/channels/channel";
import type { LogRow } from "@gateway/shared/usage/log";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { redisUrl } from "#test/database.ts";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { nightly } from "#test/nightly.ts";

/** What pauses a channel, for which accounts, and what is tried while every channel is paused. */
let gateway: TestGateway;
let made: number[] = [];

beforeAll(async () => {
  gateway = await startTestGateway({ REDIS_URL: redisUrl() });
});
beforeEach(async () => {
  const values = { RetryCooldownSeconds: 60, CircuitBreakerEnabled: true };
  await gateway.api("PUT", "/option/batch", { values });
});
afterEach(async () => {
  for (const id of made.splice(0)) await gateway.api("DELETE", `/channel/${id}`);
  gateway.upstream.control.reset();
});
afterAll(() => gateway.stop());

/** Adds a channel for one test. A channel that earlier tests did not use has no pauses. */
async function add(channel: Parameters<TestGateway["addChannel"]>[0]): Promise<ChannelRow> {
  const row = await gateway.addChannel(channel);
  made.push(row.id);
  return row;
}

interface Caller {
  /** Log rows of its calls, newest first, when there are `count`. */
  logs(count: number): Promise<LogRow[]>;
  /** Makes a call; returns its status, `Retry-After` and error message. `at` is another node's address. */
  call(prompt?: string, at?: string): Promise<{ status: number; retryAfter: string | null; message: string }>;
}

let accounts = 0;
/** Creates an account with a key and a balance. */
async function addAccount(role: string): Promise<Caller> {
  const name = `${role}-${(accounts += 1)}`;
  const password = "correct horse battery";
  await gateway.api("POST", "/user", { username: name, password, display_name: name });
  const { id } = await gateway.database.db.user.findUniqueOrThrow({ where: { username: name } });
  await gateway.api("POST", `/user/quota/${id}`, { quota: 1_000_000, remark: "" });
  // Uses its own client address, because sign-ins are counted per address in a Redis that all gateways of a
  // run share.
  const headers = {
    "content-type": "application/json",
    "x-forwarded-for": `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`,
    "api-version": "2",
    origin: gateway.url,
  };
  const ask = (path: string, body: object, cookie = "") =>
    fetch(`${gateway.url}/api${path}`, {
      method: "POST",
      headers: { ...headers, cookie },
      body: JSON.stringify(body),
    });
  const login = await ask("/user/login", { username: name, password });
  const cookie = login.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const made = await ask("/token", { name: "test", unlimited_quota: true }, cookie);
  const { data: token } = (await made.json()) as { data: TokenRow & { key: string } };
  return callerOf(token);
}

function callerOf({ id, key }: { id: number; key: string }): Caller {
  return {
    logs: (count) => gateway.logs(count, id),
    async call(prompt = "Hello", at = gateway.url) {
      const response = await fetch(`${at}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
        body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: prompt }] }),
      });
      const body = (await response.json()) as { error?: { message: string } };
      return {
        status: response.status,
        retryAfter: response.headers.get("retry-after"),
        message: body.error?.message ?? "",
      };
    },
  };
}

const rowOf = (id: number) => gateway.api<ChannelRow>("GET", `/channel/${id}`);
const root = async () => callerOf(await gateway.addToken());

// First, because later tests add accounts.
describe("an installation with one account", () => {
  it("disables a channel whose key is rejected, after a test confirms it", async () => {
    const { id } = await add({ type: 8, name: "dead", key: "demo-fail-401" });
    const me = await root();
    for (let call = 0; call < 3; call += 1) await me.call();
    await expect.poll(async () => (await rowOf(id)).status).toBe(3);
    expect((await rowOf(id)).status_reason).toContain("a test also failed");
  });

  it("opens the circuit of a failing model, after a test confirms it", async () => {
    const { id } = await add({ type: 8, name: "broken", key: "demo-fail-500", priority: 5 });
    await add({ type: 8, name: "sound", key: "sound" });
    await gateway.api("PUT", "/option", { key: "RetryCooldownSeconds", value: 0 });
    const me = await root();
    for (let call = 0; call < 9; call += 1) expect((await me.call()).status).toBe(200);
    const circuit = async () => (await rowOf(id)).frozen.map(({ reason, accounts }) => [reason, accounts]);
    await expect.poll(circuit).toEqual([["circuit", 0]]);
    await gateway.api("PUT", "/option", { key: "CircuitBreakerEnabled", value: false });
    await me.call();
    expect(gateway.upstream.calls().at(-2)?.key).toBe("demo-fail-500");
  });
});

describe("a pause", () => {
  it("is a preference: the only channel is still called", async () => {
    const { id, name } = await add({ type: 8, name: "only", key: "only" });
    const me = await root();
    gateway.upstream.control.set({ status: 429, times: 1 });
    expect(await me.call()).toMatchObject({ status: 429 });
    expect((await rowOf(id)).frozen).toMatchObject([{ model: "demo-chat", accounts: 1 }]);
    expect(await me.call()).toMatchObject({ status: 200 });
    expect((await rowOf(id)).frozen).toEqual([]);
    const [latest] = await me.logs(2);
    expect(latest).toMatchObject({
      attempts: [{ result: "ok" }],
      paused: [
        {
          channel_id: id,
          channel_name: name,
          reason: "rate-limited",
          provider_asked: false,
          own_calls_only: true,
        },
      ],
    });
    expect(latest?.paused?.[0]?.paused_until).toBeGreaterThan(Date.now() / 1_000 + 30);
  });

  it("requested by the provider is respected, and the response contains when to retry", async () => {
    await add({ type: 8, name: "only", key: "only" });
    const me = await root();
    gateway.upstream.control.set({ status: 503, retryAfter: 40 });
    await me.call();
    const calls = gateway.upstream.calls().length;
    const again = await me.call();
    expect(again.status).toBe(429);
    expect(Number(again.retryAfter)).toBeGreaterThan(30);
    expect(again.message).toContain("requested a pause");
    expect(gateway.upstream.calls()).toHaveLength(calls);
    const [latest] = await me.logs(2);
    expect(latest).toMatchObject({ attempts: [], paused: [{ provider_asked: true }] });
  });

  it("that ends first is tried as a last resort; a lower priority is tried before any paused channel", async () => {
    await add({ type: 8, name: "a", key: "a", priority: 9 });
    await add({ type: 8, name: "b", key: "b", priority: 5 });
    const me = await root();
    const requested = () => gateway.upstream.calls().map(({ key }) => key);
    gateway.upstream.control.set({ status: 500, only: { key: "a" } });
    expect(await me.call()).toMatchObject({ status: 200 });
    expect(await me.call()).toMatchObject({ status: 200 });
    expect(requested()).toEqual(["a", "b", "b"]);
    gateway.upstream.control.set({ status: 500 });
    // b fails; a, which was paused before it, is called as the last resort.
    expect((await me.call()).status).toBeGreaterThanOrEqual(500);
    expect(requested().slice(3)).toEqual(["b", "a"]);
  });
});

describe("a mapping to a model without a price", () => {
  it("is rejected with the requested and the mapped name", async () => {
    await add({
      type: 8,
      name: "maps",
      models: ["demo-*"],
      model_mapping: { "demo-cha*": "nowhere-priced" },
    });
    const answer = await (await root()).call();
    expect(answer.status).toBe(400);
    expect(answer.message).toContain("demo-chat");
    expect(answer.message).toContain("nowhere-priced");
  });

  it("with a wildcard applies; the longest pattern wins", async () => {
    await gateway.addPrice("mapped-long");
    await add({
      type: 8,
      name: "maps",
      models: ["demo-*"],
      model_mapping: { "demo-*": "nowhere-priced", "demo-c*": "mapped-long" },
    });
    await (await root()).call();
    expect(gateway.upstream.calls().at(-1)?.body).toMatchObject({ model: "mapped-long" });
  });
});

describe("one account whose requests fail", () => {
  let attacker: Caller;
  let victim: Caller;
  beforeAll(async () => {
    attacker = await addAccount("attacker");
    victim = await addAccount("victim");
  });

  // 403 is read as 401.
  for (const status of [401, 402, 500, 404, 403, 529])
    it(
      `with ${status} neither disables nor pauses channels for others`,
      nightly(status === 403),
      async () => {
        const channels = await Promise.all(
          ["a", "b"].map((key) => add({ type: 8, name: key, key, models: ["demo-chat", "gpt*"] })),
        );
        const attack = `[[status=${status}]]`;
        for (let call = 0; call < 12; call += 1) {
          expect((await attacker.call(attack)).status).toBeGreaterThanOrEqual(400);
          expect(await victim.call("Hello")).toMatchObject({ status: 200 });
        }
        for (const { id } of channels) {
          const row = await rowOf(id);
          expect(row).toMatchObject({ status: 1 });
          expect(row.frozen.filter(({ accounts }) => accounts === 0)).toEqual([]);
        }
        expect(await attacker.call("Hello")).toMatchObject({ status: 200 });
      },
    );

  it("does not apply its Retry-After to other accounts", async () => {
    await add({ type: 8, name: "only", key: "only" });
    expect(await attacker.call("[[status=429]] [[retry-after=300]]")).toMatchObject({
      status: 429,
      retryAfter: "300",
    });
    expect(await attacker.call("Hello")).toMatchObject({ status: 429 });
    expect(await victim.call("Hello")).toMatchObject({ status: 200 });
  });
});

describe("two nodes", () => {
  let there: TestGateway;
  let attacker: Caller;
  let victim: Caller;
  beforeAll(async () => {
    there = await startTestGateway({ REDIS_URL: redisUrl() }, gateway);
    attacker = await addAccount("attacker");
    victim = await addAccount("victim");
  });
  afterAll(() => there.stop());

  for (const status of [403, 429, 401, 500])
    it(
      `one account that fails with ${status} at both: neither disables nor pauses channels for others`,
      nightly(status === 401 || status === 500),
      async () => {
        const { id } = await add({ type: 8, name: "only", key: "only" });
        const nodes = [gateway, there];
        for (const { url } of nodes)
          await expect.poll(async () => (await victim.call("Hello", url)).status).toBe(200);
        for (let round = 0; round < 6; round += 1)
          for (const { url } of nodes) {
            const failed = await attacker.call(`[[status=${status}]] [[retry-after=300]]`, url);
            expect(failed.status).toBeGreaterThanOrEqual(400);
            for (const node of nodes)
              expect(await victim.call("Hello", node.url), node.url).toMatchObject({ status: 200 });
          }
        for (const node of nodes) {
          const row = await node.api<ChannelRow>("GET", `/channel/${id}`);
          expect(row).toMatchObject({ status: 1, status_reason: "" });
          expect(row.frozen.filter(({ accounts }) => accounts === 0)).toEqual([]);
        }
      },
    );
});

describe("two nodes and an operator", () => {
  it("who enables a channel at one of them ends its pauses at both", async () => {
    const there = await startTestGateway({ REDIS_URL: redisUrl() }, gateway);
    try {
      const account = await addAccount("waiting");
      const { id } = await add({ type: 8, name: "only", key: "only" });
      const nodes = [gateway, there];
      for (const { url } of nodes) {
        await expect.poll(async () => (await account.call("Hello", url)).status).toBe(200);
        await account.call("[[status=429]] [[retry-after=300]]", url);
        expect(await account.call("Hello", url)).toMatchObject({ status: 429 });
      }
      await gateway.api("PATCH", `/channel/${id}`, { status: 1 });
      for (const { url } of nodes)
        await expect.poll(async () => (await account.call("Hello", url)).status).toBe(200);
    } finally {
      await there.stop();
    }
  });
});

describe("three accounts that cooperate", () => {
  it("cannot disable a channel or pause it for others", async () => {
    const gang = await Promise.all(["one", "two", "three"].map((name) => addAccount(`${name}-attacker`)));
    const victim = await addAccount("victim");
    const { id } = await add({ type: 8, name: "only", key: "only" });
    for (const status of [403, 500, 429]) {
      for (let round = 0; round < 4; round += 1)
        for (const member of gang) await member.call(`[[status=${status}]] [[retry-after=300]]`);
      expect(await victim.call("Hello"), String(status)).toMatchObject({ status: 200 });
    }
    expect(await rowOf(id)).toMatchObject({ status: 1 });
  });
});
