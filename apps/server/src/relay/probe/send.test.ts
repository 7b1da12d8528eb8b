import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { crc32 } from "node:zlib";
import { defaultSettings } from "@gateway/shared/site/settings";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { dialects } from "#dialects/index.ts";
import type { ChatRequest } from "#dialects/ir.ts";
import type { ChannelForTest } from "#domain/channels/channel-row.ts";
import type { ActiveChannel } from "#domain/channels/selection/active-channel.ts";
import { createUpstreamClient } from "#platform/http/http.ts";
import type { Adapter } from "#providers/provider.ts";
import { openProviders } from "#providers/registry.ts";
import { encodeChat } from "#relay/chat/encode-chat.ts";
import { type Attempt, attempt, type EncodedRequest, type Target } from "#relay/core/upstream/ask.ts";
import { encodeAdapted, readAdapted } from "#relay/media/adapted.ts";
import { fetchBalance, fetchModels, testChannel } from "#relay/probe/probe.ts";

/** Providers' request formats and response framing, over a real connection. */
let server: Server;
let url: string;
let requested: { method: string; path: string; headers: IncomingMessage["headers"]; body: string }[] = [];
let answer: { status: number; type: string; chunks: (string | Buffer)[] };

const upstream = createUpstreamClient();
const providers = openProviders();
const services = { settings: { current: () => defaultSettings }, upstream, providers };

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      requested.push({
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        body,
      });
      response.writeHead(answer.status, { "content-type": answer.type });
      for (const chunk of answer.chunks) response.write(chunk);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  requested = [];
});
afterAll(async () => {
  await upstream.close();
  await new Promise((resolve) => server.close(resolve));
});

function channel(part: Partial<ChannelForTest>): ChannelForTest {
  return {
    id: 0,
    type: 8,
    name: "one",
    key: "key",
    base_url: url,
    other: "",
    models: [],
    groups: ["default"],
    tag: "",
    priority: 0,
    weight: 1,
    model_mapping: {},
    model_headers: {},
    custom_parameter: {},
    disabled_stream: [],
    proxy: "",
    test_model: "",
    only_chat: false,
    pre_cost: 1,
    compatible_response: false,
    allow_extra_body: false,
    log_bodies: false,
    system_prompt: "",
    system_prompt_place: "before",
    session_affinity: true,
    cache_marks: true,
    responses_websocket: true,
    auto_disable: true,
    connect_timeout_ms: 0,
    first_byte_timeout_ms: 0,
    idle_timeout_ms: 0,
    max_concurrency: 0,
    plugin: {},
    ...part,
  };
}

const json = (body: unknown) => ({ status: 200, type: "application/json", chunks: [JSON.stringify(body)] });
const claude = json({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude",
  content: [{ type: "text", text: "Hi" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 3, output_tokens: 1 },
});

describe("testChannel", () => {
  it("sends Azure a deployment, an API version and its own header", async () => {
    answer = json({
      id: "1",
      model: "gpt-4o",
      choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hi" } }],
      usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
    });
    const tested = await testChannel(services, {
      channel: channel({ type: 3, other: "2025-01-01-preview" }),
      model: "my deployment",
    });
    expect(tested).toMatchObject({ ok: true, message: "" });
    expect(requested[0]).toMatchObject({
      path: "/openai/deployments/my%20deployment/chat/completions?api-version=2025-01-01-preview",
      headers: { "api-key": "key" },
    });
  });

  it("sends the operator's headers, except those that the gateway sets itself and values that cannot be sent", async () => {
    answer = json({ choices: [{ message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }] });
    const stored = {
      "X-Own": "1",
      Authorization: "Bearer other",
      Host: "evil.example",
      Connection: "upgrade",
    };
    const more = {
      "content-length": "1",
      "Transfer-Encoding": "chunked",
      "x-break": "a\r\nx-evil: 1",
      "x 1": "",
    };
    const model_headers = { ...stored, ...more };
    const tested = await testChannel(services, { channel: channel({ model_headers }), model: "gpt-4o" });
    expect(tested).toMatchObject({ ok: true });
    const { headers = {} } = requested[0] ?? {};
    expect(headers).toMatchObject({ "x-own": "1", authorization: "Bearer key", host: new URL(url).host });
    expect(headers).not.toHaveProperty("transfer-encoding");
    expect(Object.keys(headers).filter((name) => /evil|break/.test(name))).toEqual([]);
  });

  it("sends Bedrock signed requests in Claude's wire for Claude", async () => {
    answer = claude;
    const tested = await testChannel(services, {
      channel: channel({ type: 32, key: "us-east-1|AKID|secret" }),
      model: "anthropic.claude-haiku-4-5-v1:0",
    });
    expect(tested).toMatchObject({ ok: true, message: "" });
    expect(requested[0]?.path).toBe("/model/anthropic.claude-haiku-4-5-v1%3A0/invoke");
    expect(requested[0]?.headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKID\//);
    expect(JSON.parse(requested[0]?.body ?? "")).toMatchObject({ anthropic_version: "bedrock-2023-05-31" });
  });

  it("uses Converse for Bedrock's other models, with the operator's instructions", async () => {
    answer = json({
      output: { message: { role: "assistant", content: [{ text: "Hi" }] } },
      stopReason: "end_turn",
      usage: { inputTokens: 3, outputTokens: 1, totalTokens: 4 },
    });
    const nova = channel({ type: 32, key: "us-east-1|token", system_prompt: "Be brief." });
    expect(await testChannel(services, { channel: nova, model: "us.amazon.nova-pro-v1:0" })).toMatchObject({
      ok: true,
      message: "",
    });
    expect(requested[0]?.path).toBe("/model/us.amazon.nova-pro-v1%3A0/converse");
    expect(JSON.parse(requested[0]?.body ?? "")).toEqual({
      system: [{ text: "Be brief." }],
      messages: [{ role: "user", content: [{ text: "Say hi." }] }],
      inferenceConfig: { maxTokens: 64 },
    });
  });

  it("sends a request that fits the model", async () => {
    answer = json({ results: [{ index: 0, relevance_score: 0.9 }] });
    const ask = (type: number, model: string) => testChannel(services, { channel: channel({ type }), model });
    expect(await ask(36, "rerank-v3.5")).toMatchObject({ ok: true });
    expect(await ask(17, "text-embedding-v4")).toMatchObject({ ok: true });
    expect(await ask(1, "omni-moderation-latest")).toMatchObject({ ok: true });
    expect(requested.map(({ path }) => path)).toEqual([
      "/v2/rerank",
      "/compatible-mode/v1/embeddings",
      "/v1/moderations",
    ]);
    expect(await ask(37, "sd3.5-large")).toMatchObject({
      ok: false,
      message: "HTTP 200: The upstream sent no image.",
    });
    answer = { ...json({ error: { message: "no such model" } }), status: 404 };
    expect(await ask(47, "jina-reranker-v3")).toMatchObject({
      ok: false,
      message: "HTTP 404: no such model",
    });
  });

  it("reports an invalid key without a request", async () => {
    const tested = await testChannel(services, {
      channel: channel({ type: 15, key: "ak|sk" }),
      model: "ernie",
    });
    expect(tested.ok).toBe(false);
    expect(tested.message).toMatch(/^Baidu replaced keys/);
    expect(requested).toEqual([]);
  });
});

function framed(event: object): Buffer {
  const bytes = Buffer.from(JSON.stringify(event)).toString("base64");
  const header = Buffer.from("\u000d:message-type\u0007\u0000\u0005event", "latin1");
  const body = Buffer.concat([header, Buffer.from(JSON.stringify({ bytes }))]);
  const message = Buffer.alloc(body.length + 16);
  message.writeUInt32BE(message.length, 0);
  message.writeUInt32BE(header.length, 4);
  message.writeUInt32BE(crc32(message.subarray(0, 8)), 8);
  body.copy(message, 12);
  message.writeUInt32BE(crc32(message.subarray(0, -4)), message.length - 4);
  return message;
}

function activeChannel(type: number): ActiveChannel {
  const provider = providers.get(type);
  if (provider === undefined) throw new Error(`There is no type ${type}`);
  return {
    ...channel({}),
    provider,
    baseUrl: url,
    keys: [],
    mapping: { exact: new Map(), wildcards: [] },
    headers: {},
    parameters: {},
    disabledStream: new Set(),
    onlyChat: false,
    preCost: 1,
    compatibleResponse: false,
    testModel: "",
    autoDisable: false,
    sessionAffinity: false,
    cacheMarks: false,
    responsesWebSocket: false,
    allowExtraBody: false,
    logBodies: false,
    systemPrompt: "",
    systemPromptPlace: "before",
    maxConcurrency: 0,
    connectTimeoutMs: 0,
    firstByteTimeoutMs: 0,
    idleTimeoutMs: 0,
  };
}

describe("a call in a provider's own wire", () => {
  const key = { id: 0, key: "key", weight: 1 };
  const call = { bodyFor: (model: string) => JSON.stringify({ model, input: "Hi", voice: "alloy" }) };
  const signal = AbortSignal.timeout(5_000);
  const speech = providers.get(27)?.adapters?.["/v1/audio/speech"];
  if (speech === undefined) throw new Error("MiniMax does not speak");

  async function speak(chosen: Target, adapter: Adapter) {
    const exchange: Attempt<object, EncodedRequest> = {
      encode: () => encodeAdapted(call, chosen, adapter),
      read: async (response) => (await readAdapted(response, chosen, adapter, undefined)) ?? {},
    };
    return attempt(services, chosen, exchange, { signal });
  }

  it("is sent in that wire and converted back to the gateway's format", async () => {
    answer = json({ data: { audio: "494433" }, base_resp: { status_code: 0, status_msg: "success" } });
    const chosen = { channel: activeChannel(27), key, upstreamModel: "speech-2.6-hd" };
    const adapted = await speak(chosen, speech);
    expect(adapted).toMatchObject({ body: Buffer.from("ID3") });
    expect(requested[0]).toMatchObject({ path: "/v1/t2a_v2", headers: { authorization: "Bearer key" } });
    expect(JSON.parse(requested[0]?.body ?? "")).toMatchObject({ model: "speech-2.6-hd", text: "Hi" });
  });

  it("is rejected by status or by an error code in the body", async () => {
    const chosen = { channel: activeChannel(27), key, upstreamModel: "m" };
    answer = json({ base_resp: { status_code: 1002, status_msg: "rate limit" } });
    expect(await speak(chosen, speech)).toMatchObject({
      error: { kind: "rate-limited" },
    });
    answer = { ...json({ message: "no" }), status: 401 };
    expect(await speak(chosen, speech)).toMatchObject({ error: { kind: "auth" } });
  });
});

describe("a stream in a provider's own framing", () => {
  const client = dialects.anthropic;
  const request: ChatRequest = {
    model: "claude",
    stream: true,
    messages: [{ role: "user", parts: [{ type: "text", text: "Hi" }] }],
  };
  const { body } = client.encodeRequest(request);
  const call = {
    client,
    body,
    raw: Buffer.from(JSON.stringify(body)),
    request,
    forward: {},
  };

  async function stream(chunks: Buffer[]): Promise<string> {
    answer = { status: 200, type: "application/vnd.amazon.eventstream", chunks };
    const target = activeChannel(32);
    const key = { id: 0, key: "us-east-1|token", weight: 1 };
    const chosen = { channel: target, key, upstreamModel: "claude" };
    const sent = encodeChat(call, chosen, services.settings.current());
    const exchange: Attempt<{ text: string }, EncodedRequest> = {
      encode: () => sent,
      async read(response) {
        expect(response.headers["content-type"]).toBe("text/event-stream");
        return { text: await response.text(64 * 1024) };
      },
    };
    const signal = AbortSignal.timeout(5_000);
    const tried = await attempt(services, chosen, exchange, { signal });
    if ("error" in tried) throw new Error(tried.error.message);
    return tried.text;
  }

  it("reaches the relay as server-sent events", async () => {
    const event = { type: "message_stop" };
    expect(await stream([framed({ type: "ping" }), framed(event)])).toBe(
      `event: ping\ndata: {"type":"ping"}\n\nevent: message_stop\ndata: ${JSON.stringify(event)}\n\n`,
    );
  });

  it("fails as a connection error when it is damaged", async () => {
    const damaged = framed({ type: "ping" });
    damaged.writeUInt8(0, damaged.length - 1);
    damaged.writeUInt8(1, damaged.length - 2);
    await expect(stream([damaged])).rejects.toThrow("The upstream's stream is damaged.");
  });
});

describe("requests to the provider itself", () => {
  it("request the model list at the provider's path", async () => {
    answer = json({ data: [{ id: "glm-4.6" }, { id: "glm-4.5" }] });
    expect(await fetchModels(services, channel({ type: 16 }))).toEqual(["glm-4.5", "glm-4.6"]);
    answer = json({ models: [{ name: "models/gemini-2.5-pro" }] });
    expect(await fetchModels(services, channel({ type: 25 }))).toEqual(["gemini-2.5-pro"]);
    expect(requested.map(({ path }) => path)).toEqual([
      "/api/paas/v4/models",
      "/v1beta/models?pageSize=1000",
    ]);
    expect(requested[1]?.headers["x-goog-api-key"]).toBe("key");
  });

  it("return the known models where the provider has no list", async () => {
    expect(await fetchModels(services, channel({ type: 904 }))).toContain("perplexity/sonar");
    expect(requested).toEqual([]);
  });

  it("return the account's balance where the provider reports it", async () => {
    answer = json({ balance_infos: [{ currency: "CNY", total_balance: "7.50" }] });
    expect(await fetchBalance(services, channel({ type: 28 }))).toEqual({ amount: 7.5, currency: "CNY" });
    expect(requested[0]?.path).toBe("/user/balance");
    expect(await fetchBalance(services, channel({ type: 14 }))).toBeUndefined();
  });

  it("fail with a clear message", async () => {
    answer = { ...json({}), status: 401 };
    await expect(fetchModels(services, channel({}))).rejects.toThrow("Failed to get model list: HTTP 401.");
    answer = json({ hello: "world" });
    await expect(fetchModels(services, channel({}))).rejects.toThrow("the response is not a list of models");
    await expect(fetchBalance(services, channel({ type: 28 }))).rejects.toThrow("does not contain one");
  });
});
