import type { Self } from "@gateway/shared/accounts/session";
import type OpenAI from "openai";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, testAccessToken, type TestGateway } from "#test/gateway.ts";

/** The official clients with the three kinds of channels, and the bill of each call. */
let gateway: TestGateway;

const OPENAI_COMPATIBLE = 8;
const ANTHROPIC = 14;
const DEMO = 900;

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.addChannel({ type: DEMO, name: "demo", models: ["demo-chat"] });
  await gateway.addChannel({
    type: OPENAI_COMPATIBLE,
    name: "compatible",
    models: ["demo-chat-mini"],
  });
  await gateway.addChannel({ type: ANTHROPIC, name: "anthropic", models: ["demo-think"] });
});
afterAll(() => gateway.stop());
afterEach(() => gateway.upstream.control.reset());

const weather: OpenAI.Chat.ChatCompletionTool = {
  type: "function",
  function: {
    name: "get_weather",
    description: "The weather of a city",
    parameters: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
    },
  },
};

describe.each([
  ["the demo channel", "demo-chat"],
  ["an OpenAI-compatible channel", "demo-chat-mini"],
  ["an Anthropic channel, by translation", "demo-think"],
])("the OpenAI client with %s", (_name, model) => {
  it("receives a response with usage", async () => {
    const client = gateway.openai((await gateway.addToken()).key);
    const answer = await client.chat.completions.create({
      model,
      messages: [{ role: "user", content: "How are you?" }],
    });
    expect(answer.choices[0]?.message.content).toBeTruthy();
    expect(answer.choices[0]?.finish_reason).toBe("stop");
    expect(answer.usage?.total_tokens).toBeGreaterThan(0);
  });

  it("receives a streamed response, with the usage chunk only on request", async () => {
    const client = gateway.openai((await gateway.addToken()).key);
    for (const requested of [true, false]) {
      const stream = await client.chat.completions.create({
        model,
        stream: true,
        ...(requested ? { stream_options: { include_usage: true } } : {}),
        messages: [{ role: "user", content: "Tell me a story." }],
      });
      let text = "";
      let usage = 0;
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? "";
        if (chunk.usage) usage += 1;
      }
      expect(text.length).toBeGreaterThan(10);
      expect(usage).toBe(requested ? 1 : 0);
    }
  });

  it("calls a tool and continues after its result, streamed and not", async () => {
    const client = gateway.openai((await gateway.addToken()).key);
    const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [
      { role: "user", content: "What is the weather in Paris? Use get_weather." },
    ];
    const first = await client.chat.completions.create({ model, messages, tools: [weather] });
    const call = first.choices[0]?.message.tool_calls?.[0];
    expect(first.choices[0]?.finish_reason).toBe("tool_calls");
    if (call?.type !== "function") throw new Error("no function call");
    expect(JSON.parse(call.function.arguments)).toHaveProperty("city");
    const streamed = client.chat.completions.stream({ model, messages, tools: [weather] });
    const final = await streamed.finalChatCompletion();
    expect(final.choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: { name: "get_weather" } });
    const second = await client.chat.completions.create({
      model,
      tools: [weather],
      messages: [
        ...messages,
        first.choices[0]!.message,
        { role: "tool", tool_call_id: call.id, content: "21 degrees and sunny" },
      ],
    });
    expect(second.choices[0]?.message.content).toContain("21 degrees");
  });
});

describe("the anthropic client", () => {
  it.each(["demo-think", "demo-chat"])("sends messages to %s, plain and streamed", async (model) => {
    const client = gateway.anthropic((await gateway.addToken()).key);
    const body = { model, max_tokens: 500, messages: [{ role: "user" as const, content: "Hello there" }] };
    const plain = await client.messages.create(body);
    expect(plain.content.some((block) => block.type === "text" && block.text.length > 0)).toBe(true);
    expect(plain.usage.output_tokens).toBeGreaterThan(0);
    const final = await client.messages.stream(body).finalMessage();
    expect(final.content.some((block) => block.type === "text")).toBe(true);
    expect(final.stop_reason).toBe("end_turn");
  });
});

describe("model lists", () => {
  it("have the caller's format and contain only models that the token may use", async () => {
    const token = await gateway.addToken({
      setting: {
        limits: {
          limit_model_setting: { enabled: true, models: ["demo-chat*"] },
          limits_ip_setting: { enabled: false, whitelist: [] },
        },
      },
    });
    const openai = await gateway.openai(token.key).models.list();
    expect(openai.data.map((model) => model.id).sort()).toEqual(["demo-chat", "demo-chat-mini"]);
    const anthropic = await gateway.anthropic(token.key).models.list();
    expect(anthropic.data.map((model) => model.type)).toEqual(["model", "model"]);
    expect((await gateway.openai(token.key).models.retrieve("demo-chat")).id).toBe("demo-chat");
  });
});

describe("the bill", () => {
  it("is one log row per call, and reduces balance and key by exactly that amount", async () => {
    const token = await gateway.addToken({ unlimited_quota: false, remain_quota: 1_000_000 });
    const before = await gateway.api<Self>("GET", "/user/self");
    const client = gateway.openai(token.key);
    for (const model of ["demo-chat", "demo-chat-mini", "demo-think"])
      await client.chat.completions.create({
        model,
        messages: [{ role: "user", content: "Count to three." }],
      });
    const after = await gateway.api<Self>("GET", "/user/self");
    const rows = (await gateway.logs(3)).filter((row) => row.token_id === token.id);
    expect(rows).toHaveLength(3);
    const spent = rows.reduce((sum, row) => sum + row.quota, 0);
    expect(spent).toBeGreaterThan(0);
    expect(before.quota - after.quota).toBe(spent);
    expect(after.reserved).toBe(0);
    const left = await gateway.api<{ remain_quota: number; used_quota: number }>("GET", `/token/${token.id}`);
    expect(left).toMatchObject({ remain_quota: 1_000_000 - spent, used_quota: spent });
    for (const row of rows) {
      expect(row.prompt_tokens).toBeGreaterThan(0);
      expect(row.completion_tokens).toBeGreaterThan(0);
      expect(row.channel_name).not.toBe("");
      expect(row.request_time).toBeGreaterThanOrEqual(row.first_byte_time);
      expect(row.bill?.lines.length).toBeGreaterThan(0);
    }
    expect(await gateway.drift()).toBe(0n);
  });
});

describe("the provider's request id", () => {
  it("is in the answer and, for each attempt, in the log", async () => {
    await gateway.addPrice("demo-two-tries");
    const first = await gateway.addChannel({
      type: OPENAI_COMPATIBLE,
      name: "fails",
      models: ["demo-two-tries"],
      key: "demo-fail-500",
      priority: 10,
    });
    await gateway.addChannel({
      type: OPENAI_COMPATIBLE,
      name: "answers",
      models: ["demo-two-tries"],
      priority: 1,
    });
    const { key } = await gateway.addToken();
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "demo-two-tries", messages: [{ role: "user", content: "Hi" }] }),
    });
    expect(answer.status).toBe(200);
    const id = answer.headers.get("x-upstream-request-id");
    expect(id).toMatch(/\S/);
    const own = answer.headers.get("x-request-id");
    await expect
      .poll(async () => (await gateway.logs()).find((row) => row.request_id === own)?.attempts)
      .toMatchObject([
        { channel_id: first.id, result: "server", upstream_request_id: expect.stringMatching(/\S/) },
        { result: "ok", upstream_request_id: id },
      ]);
  });
});

describe("metrics", () => {
  it("are for administrators, and contain no model name that a client chose", async () => {
    expect((await fetch(`${gateway.url}/metrics`)).status).toBe(401);
    const { key } = await gateway.addToken();
    const body = JSON.stringify({ model: "invented-name", messages: [{ role: "user", content: "Hi" }] });
    const invented = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body,
    });
    expect(invented.status).toBe(404);
    const answer = await fetch(`${gateway.url}/metrics`, {
      headers: { authorization: `Bearer ${testAccessToken}` },
    });
    const text = await answer.text();
    expect(text).toMatch(/gateway_calls_total\{endpoint="\/v1\/chat\/completions",status="200"\} \d+/);
    expect(text).toContain('gateway_upstream_attempts_total{provider="demo"');
    expect(text).not.toContain("invented-name");
  });

  it("count the management API's errors by their true status, whatever the response format", async () => {
    const headers = { authorization: `Bearer ${testAccessToken}` };
    const refused = await fetch(`${gateway.url}/api/channel/999999`, { headers });
    expect([refused.status, refused.headers.get("api-status")]).toEqual([200, "404"]);
    const text = await (await fetch(`${gateway.url}/metrics`, { headers })).text();
    expect(text).toMatch(/gateway_console_answers_total\{method="GET",status="404"\} \d+/);
  });

  it("are also available at the older address, for a scraper that sends the access token as a password", async () => {
    const basic = `Basic ${Buffer.from(`prometheus:${testAccessToken}`).toString("base64")}`;
    const ask = (authorization: string) =>
      fetch(`${gateway.url}/api/metrics`, { headers: { authorization } });
    expect(await (await ask(basic)).text()).toContain("gateway_calls_total");
    expect((await ask("Basic cHJvbWV0aGV1czp3cm9uZw==")).status).toBe(401);
  });
});
