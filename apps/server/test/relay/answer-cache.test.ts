import type { TokenForm } from "@gateway/shared/accounts/token";
import type { Explanation } from "@gateway/shared/usage/explain";
import type { LogRow } from "@gateway/shared/usage/log";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { redisUrl } from "#test/database.ts";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** The cache of responses: a token with caching enabled, on two nodes that share a Redis. */
let here: TestGateway;
let there: TestGateway;

beforeAll(async () => {
  here = await startTestGateway({ REDIS_URL: redisUrl() });
  there = await startTestGateway({ REDIS_URL: redisUrl() }, here);
  await here.addChannel({ type: 8, name: "provider", models: ["demo-chat", "demo-embedding"] });
  const root = await here.api<{ id: number }>("GET", "/user/self");
  await here.api("POST", `/user/quota/${root.id}`, { quota: 500_000_000, remark: "for the tests" });
});
afterAll(async () => {
  await there.stop();
  await here.stop();
});

const remembering = (cache: object = {}, more: Partial<TokenForm> = {}) =>
  here.addToken({ ...more, setting: { ...more.setting, cache: { enabled: true, ...cache } } });

interface Asking {
  path?: string;
  body?: object;
  node?: TestGateway;
  headers?: Record<string, string>;
}

async function ask(
  key: string,
  { path = "/v1/chat/completions", body = {}, node = here, headers }: Asking = {},
) {
  const before = here.upstream.calls().length;
  const response = await fetch(node.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    text,
    cache: response.headers.get("x-gateway-cache"),
    headers: response.headers,
    providerCalls: here.upstream.calls().length - before,
  };
}

let questions = 0;
const question = (more: object = {}) => {
  questions += 1;
  const messages = [{ role: "user", content: `Question ${questions}` }];
  return { model: "demo-chat", max_tokens: 60, messages, ...more };
};

async function rowsOf(tokenId: number, count: number): Promise<LogRow[]> {
  const rows = await here.logs(count, tokenId);
  expect(rows).toHaveLength(count);
  return rows;
}

const tool = { type: "function", function: { name: "look", parameters: { type: "object" } } };

describe("a token with caching enabled", () => {
  it("gets the same response to the same request from any node, free and without a provider call", async () => {
    const { key, id } = await remembering();
    const body = question();
    const first = await ask(key, { body });
    expect(first).toMatchObject({ status: 200, cache: "miss", providerCalls: 1 });
    const { messages, model, max_tokens } = body;
    const again = await ask(key, { body: { messages, max_tokens, model }, node: there });
    expect(again).toMatchObject({ status: 200, cache: "hit", providerCalls: 0, text: first.text });
    expect(again.headers.get("content-type")).toContain("application/json");
    expect(Number(again.headers.get("age"))).toBeGreaterThanOrEqual(0);
    expect(again.headers.get("x-ratelimit-limit-requests")).toBe("1000000");
    const [hit, miss] = await rowsOf(id, 2);
    expect(miss).toMatchObject({ cache_hit: false });
    expect(miss?.quota).toBeGreaterThan(0);
    expect(hit).toMatchObject({
      cache_hit: true,
      quota: 0,
      channel_id: 0,
      outcome: "complete",
      model_name: "demo-chat",
      prompt_tokens: miss?.prompt_tokens,
      completion_tokens: miss?.completion_tokens,
    });
    const why = await here.api<Explanation>("GET", `/log/${hit?.request_id}/explain`);
    expect(why).toMatchObject({ points: 0, agrees: true, group_ratio: "0" });
    expect(await here.drift()).toBe(0n);
  });

  it("makes a new call when anything differs, or when the client requests it", async () => {
    const { key } = await remembering();
    const body = question();
    await ask(key, { body });
    for (const other of [{ temperature: 0.1 }, { max_tokens: 61 }, { stream: true }])
      expect(await ask(key, { body: { ...body, ...other } })).toMatchObject({
        cache: "miss",
        providerCalls: 1,
      });
    const fresh = await ask(key, { body, headers: { "cache-control": "no-cache" } });
    expect(fresh).toMatchObject({ cache: "miss", providerCalls: 1 });
    expect((await ask(key, { body })).text).toBe(fresh.text);
  });

  it("shares nothing with another token, or with a token without caching", async () => {
    const body = question();
    const [one, other] = [await remembering(), await remembering()];
    await ask(one.key, { body });
    expect(await ask(other.key, { body })).toMatchObject({ cache: "miss", providerCalls: 1 });
    const plain = await here.addToken();
    await ask(plain.key, { body });
    expect(await ask(plain.key, { body })).toMatchObject({ cache: null, providerCalls: 1 });
  });

  it("replays a stream as it was sent", async () => {
    const { key, id } = await remembering();
    const body = question({ stream: true, stream_options: { include_usage: true } });
    const first = await ask(key, { body });
    expect(first).toMatchObject({ cache: "miss", providerCalls: 1 });
    const again = await ask(key, { body });
    expect(again).toMatchObject({ cache: "hit", providerCalls: 0, text: first.text });
    expect(again.headers.get("content-type")).toContain("text/event-stream");
    expect(again.text.endsWith("data: [DONE]\n\n")).toBe(true);
    expect((await rowsOf(id, 2))[0]).toMatchObject({ cache_hit: true, is_stream: true });
  });

  it("caches in every dialect, and caches embeddings", async () => {
    const { key } = await remembering();
    const say = [{ role: "user", content: "Hello" }];
    const contents = [{ role: "user", parts: [{ text: "Hello" }] }];
    const endpoints = [
      { path: "/v1/messages", body: { model: "demo-chat", max_tokens: 50, messages: say } },
      { path: "/v1/messages", body: { model: "demo-chat", max_tokens: 50, messages: say, stream: true } },
      { path: "/v1/responses", body: { model: "demo-chat", max_output_tokens: 50, input: "Hello" } },
      { path: "/v1beta/models/demo-chat:generateContent", body: { contents } },
      { path: "/v1beta/models/demo-chat:streamGenerateContent", body: { contents } },
      { path: "/v1beta/models/demo-chat:streamGenerateContent?alt=sse", body: { contents } },
      { path: "/v1beta/interactions", body: { model: "demo-chat", input: "Hello" } },
      { path: "/v1beta/interactions", body: { model: "demo-chat", input: "Hello", stream: true } },
      { path: "/v1/embeddings", body: { model: "demo-embedding", input: "Hello" } },
    ];
    for (const endpoint of endpoints) {
      const first = await ask(key, endpoint);
      expect(first, endpoint.path).toMatchObject({ status: 200, cache: "miss" });
      const again = await ask(key, endpoint);
      expect(again, endpoint.path).toMatchObject({
        status: 200,
        cache: "hit",
        providerCalls: 0,
        text: first.text,
      });
    }
  });

  it("does not cache streams that may call tools, unless it is configured to", async () => {
    const body = question({ stream: true, tools: [tool] });
    const careful = await remembering();
    await ask(careful.key, { body });
    expect(await ask(careful.key, { body })).toMatchObject({ cache: null, providerCalls: 1 });
    const bold = await remembering({ tool_streams: true });
    await ask(bold.key, { body });
    expect(await ask(bold.key, { body })).toMatchObject({ cache: "hit", providerCalls: 0 });
  });

  it("does not cache broken or rejected calls, or calls that extend a conversation", async () => {
    const { key } = await remembering();
    for (const messages of [
      [{ role: "user", content: "[[cut=2]] Hello, hello, hello" }],
      [{ role: "user", content: "[[status=400]] Hello" }],
    ]) {
      const body = question({ messages, stream: true });
      await ask(key, { body });
      expect((await ask(key, { body })).providerCalls).toBe(1);
    }
    const made = await ask(key, { path: "/v1/conversations", body: {} });
    const conversation = (JSON.parse(made.text) as { id: string }).id;
    const body = { model: "demo-chat", max_output_tokens: 50, input: "Hello", conversation };
    await ask(key, { path: "/v1/responses", body });
    expect(await ask(key, { path: "/v1/responses", body })).toMatchObject({ cache: null, providerCalls: 1 });
  });

  it("applies its limits to cached responses, too", async () => {
    const { key, id } = await remembering();
    const body = question();
    await ask(key, { body });
    const limits = { limit_model_setting: { enabled: true, models: ["other"] } };
    const setting = { cache: { enabled: true }, limits };
    await here.api("PUT", `/token/${id}`, { name: "test", setting });
    expect((await ask(key, { body })).status).toBe(403);
    await here.api("PATCH", `/token/${id}`, { status: 2 });
    expect((await ask(key, { body })).status).toBe(401);
  });
});

describe("the operator's settings", () => {
  const set = (key: string, value: unknown) => here.api("PUT", "/option", { key, value });

  it("charge a cached response its percentage, rounded up, within the token's remaining quota", async () => {
    await set("AnswerCachePercent", 40);
    const { key, id } = await remembering({}, { unlimited_quota: false, remain_quota: 50_000 });
    const body = question();
    await ask(key, { body });
    await ask(key, { body });
    const [hit, miss] = await rowsOf(id, 2);
    const exact = Number(miss?.bill?.exact) * 0.4;
    expect(hit?.quota).toBe(Math.ceil(exact - 1e-9));
    const why = await here.api<Explanation>("GET", `/log/${hit?.request_id}/explain`);
    expect(why).toMatchObject({ agrees: true, group_ratio: "0.4" });
    await here.api("PUT", `/token/${id}`, {
      name: "test",
      unlimited_quota: false,
      remain_quota: 0,
      setting: { cache: { enabled: true } },
    });
    expect((await ask(key, { body })).status).toBe(402);
    expect(await here.drift()).toBe(0n);
    await set("AnswerCachePercent", 0);
  });

  it("limit the size of a cached response, and can disable the cache", async () => {
    const { key } = await remembering();
    await set("AnswerCacheKilobytes", 1);
    const body = question({
      max_tokens: 2_000,
      messages: [{ role: "user", content: "[[length=900]] Hello" }],
    });
    const first = await ask(key, { body });
    expect(first.text.length).toBeGreaterThan(1_024);
    expect(await ask(key, { body })).toMatchObject({ cache: "miss", providerCalls: 1 });
    await set("AnswerCacheKilobytes", 256);
    const short = question();
    await ask(key, { body: short });
    await set("AnswerCacheMinutes", 0);
    expect(await ask(key, { body: short })).toMatchObject({ cache: null, providerCalls: 1 });
    await set("AnswerCacheMinutes", 60);
    expect(await ask(key, { body: short })).toMatchObject({ cache: "hit" });
  });
});
