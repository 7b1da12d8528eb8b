import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Self } from "@gateway/shared/accounts/session";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dialects } from "#dialects/index.ts";
import type { ChatResponse, DialectId } from "#dialects/ir.ts";
import { createCollector } from "#dialects/stream/collected-answer.ts";
import { createFrameSplitter } from "#dialects/stream/sse.ts";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { head, type RawUpstream, startRawUpstream } from "#test/raw-upstream.ts";

/** Providers that respond in another form than requested: unstreamed, streamed, or compressed. */
let gateway: TestGateway;
let upstream: RawUpstream;
let key: string;

const speakers: Record<DialectId, number> = {
  "openai-chat": 8,
  "openai-responses": 1,
  anthropic: 14,
  gemini: 25,
};
const ids = Object.keys(speakers) as DialectId[];
/** Providers receive Responses requests from clients of Responses only. */
const pairs = ids.flatMap((client) =>
  ids
    .filter((provider) => provider !== "openai-responses" || client === provider)
    .map((provider) => ({ client, provider })),
);

const output = "Ahoy, 船!";
const usage = { input: 5, output: 7 };
const called = { name: "look", input: '{"at":"sea"}' };

/** The same text, call and usage in every format. */
const answers: Record<DialectId, object> = {
  "openai-chat": {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_700_000_000,
    model: "m",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: output,
          tool_calls: [
            { id: "call_1", type: "function", function: { name: called.name, arguments: called.input } },
          ],
        },
        finish_reason: "tool_calls",
      },
    ],
    usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
  },
  "openai-responses": {
    id: "resp_1",
    object: "response",
    created_at: 1_700_000_000,
    model: "m",
    status: "completed",
    output: [
      {
        id: "msg_1",
        type: "message",
        status: "completed",
        role: "assistant",
        content: [{ type: "output_text", text: output, annotations: [] }],
      },
      {
        id: "fc_1",
        type: "function_call",
        call_id: "call_1",
        name: called.name,
        arguments: called.input,
        status: "completed",
      },
    ],
    usage: { input_tokens: 5, output_tokens: 7, total_tokens: 12 },
  },
  anthropic: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [
      { type: "text", text: output },
      { type: "tool_use", id: "call_1", name: called.name, input: { at: "sea" } },
    ],
    stop_reason: "tool_use",
    usage: { input_tokens: 5, output_tokens: 7 },
  },
  gemini: {
    responseId: "g1",
    modelVersion: "m",
    candidates: [
      {
        index: 0,
        content: {
          role: "model",
          parts: [
            { text: output },
            { functionCall: { id: "call_1", name: called.name, args: { at: "sea" } } },
          ],
        },
        finishReason: "STOP",
      },
    ],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 7, totalTokenCount: 12 },
  },
};

/** Returns the same response as the provider would stream it. */
function streamed(provider: DialectId): string {
  const dialect = dialects[provider];
  const { id, model, choices } = dialect.decodeResponse(answers[provider]);
  const encode = dialect.encodeStream({ model, stream: true, messages: [], includeUsage: true });
  const at = { choice: 0, part: 1 };
  return [
    encode({ type: "start", id, model }),
    encode({ type: "text", choice: 0, part: 0, text: output.slice(0, 3) }),
    encode({ type: "text", choice: 0, part: 0, text: output.slice(3) }),
    encode({ type: "tool-call", ...at, id: "call_1", name: called.name }),
    encode({ type: "tool-input", ...at, text: called.input }),
    encode({ type: "stop", choice: 0, reason: choices[0]?.finish ?? "other" }),
    encode({ type: "finish", usage }),
  ]
    .map(({ text }) => text)
    .join("");
}

const endpoints: Record<DialectId, (model: string, stream: boolean) => { path: string; body: object }> = {
  "openai-chat": (model, stream) => ({
    path: "/v1/chat/completions",
    body: {
      model,
      stream,
      ...(stream && { stream_options: { include_usage: true } }),
      messages: [{ role: "user", content: "Look." }],
    },
  }),
  "openai-responses": (model, stream) => ({ path: "/v1/responses", body: { model, stream, input: "Look." } }),
  anthropic: (model, stream) => ({
    path: "/v1/messages",
    body: { model, stream, max_tokens: 99, messages: [{ role: "user", content: "Look." }] },
  }),
  gemini: (model, stream) => ({
    path: `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: { contents: [{ role: "user", parts: [{ text: "Look." }] }] },
  }),
};

beforeAll(async () => {
  [gateway, upstream] = await Promise.all([startTestGateway(), startRawUpstream()]);
  await gateway.api("PUT", "/option", { key: "RetryCooldownSeconds", value: 0 });
  for (const id of ids) {
    await gateway.addChannel({ type: speakers[id], name: id, models: [id], base_url: upstream.url });
    await gateway.addPrice(id);
  }
  const models = ["chat-or-demo"];
  await gateway.addChannel({ type: 8, name: "first", models, base_url: upstream.url, priority: 5 });
  await gateway.addChannel({
    type: 8,
    name: "second",
    models,
    model_mapping: { "chat-or-demo": "demo-chat" },
  });
  await gateway.addPrice("chat-or-demo");
  key = (await gateway.addToken()).key;
});
afterAll(async () => {
  await gateway.stop();
  await upstream.close();
});

const balance = async () => (await gateway.api<Self>("GET", "/user/self")).quota;

async function ask(client: DialectId, model: string, stream: boolean) {
  const { path, body } = endpoints[client](model, stream);
  const before = await balance();
  const response = await fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  // The last bytes were sent after the bill.
  const paid = before - (await balance());
  return { status: response.status, type: response.headers.get("content-type"), text, paid };
}

function readStream(client: DialectId, text: string): ChatResponse {
  const collector = createCollector();
  const decoder = dialects[client].decodeStream();
  const frames = createFrameSplitter().push(Buffer.from(text));
  for (const { frame } of frames) for (const event of decoder.frame(frame)) collector.add(event);
  for (const event of decoder.end()) collector.add(event);
  if (collector.answer === undefined || "error" in collector.answer) throw new Error(`no answer: ${text}`);
  return collector.answer;
}

function expectAnswer({ choices, usage: counted }: ChatResponse): void {
  expect(counted).toMatchObject(usage);
  expect(choices).toHaveLength(1);
  expect(choices[0]).toMatchObject({
    finish: "tool-calls",
    parts: [
      { type: "text", text: output },
      { type: "tool-call", ...called },
    ],
  });
}

async function expectBill(paid: number, rows: number): Promise<void> {
  const [row, ...others] = await gateway.logs();
  expect(others).toHaveLength(rows);
  expect(row).toMatchObject({
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    outcome: "complete",
    estimated: false,
  });
  expect(row?.quota).toBe(paid);
  expect(paid).toBeGreaterThan(0);
}

describe("a provider that does not stream although a stream was requested", () => {
  it.each(pairs)("is streamed to a client of $client ($provider)", async ({ client, provider }) => {
    upstream.play({
      chunks: [head("application/json; charset=utf-8"), JSON.stringify(answers[provider])],
      ending: "end",
    });
    const rows = (await gateway.logs(0)).length;
    const { status, type, text, paid } = await ask(client, provider, true);
    expect({ status, type }).toEqual({ status: 200, type: "text/event-stream; charset=utf-8" });
    expectAnswer(readStream(client, text));
    await expectBill(paid, rows);
  });

  it.each([
    [
      "an error",
      { error: { message: "Slow down.", type: "requests", code: "rate_limit_exceeded" } },
      "rate-limited",
    ],
    ["a bare sentence", { success: false, message: "Come back tomorrow." }, "server"],
    ["nothing", { id: "1", object: "chat.completion", choices: [] }, "server"],
  ])("is replaced by another channel after %s and costs nothing", async (_name, body, kind) => {
    upstream.play({ chunks: [head("application/json"), JSON.stringify(body)], ending: "end" });
    const rows = (await gateway.logs(0)).length;
    const { status, text, paid } = await ask("openai-chat", "chat-or-demo", true);
    expect(status).toBe(200);
    expect(text).toContain("[DONE]");
    const [row, ...others] = await gateway.logs();
    expect(others).toHaveLength(rows);
    expect(row?.attempts?.map(({ result }) => result)).toEqual([kind, "ok"]);
    expect(row?.quota).toBe(paid);
  });

  it("is an error when no other channel can serve the call, and costs nothing", async () => {
    const body = { error: { message: "Too long.", type: "invalid_request_error", code: null } };
    upstream.play({ chunks: [head("application/json"), JSON.stringify(body)], ending: "end" });
    const { status, text, paid } = await ask("openai-chat", "openai-chat", true);
    expect({ status, paid }).toEqual({ status: 400, paid: 0 });
    expect(text).toContain("Too long.");
    expect(await gateway.drift()).toBe(0n);
  });
});

describe("a provider that streams although no stream was requested", () => {
  it.each(pairs)("is sent to $client clients as one response ($provider)", async ({ client, provider }) => {
    upstream.play({ chunks: [head("text/event-stream"), streamed(provider)], ending: "end" });
    const rows = (await gateway.logs(0)).length;
    const { status, type, text, paid } = await ask(client, provider, false);
    expect({ status, type }).toEqual({ status: 200, type: "application/json; charset=utf-8" });
    expectAnswer(dialects[client].decodeResponse(JSON.parse(text)));
    await expectBill(paid, rows);
  });

  it.each([
    ["breaks off", 'data: {"id":"1","choices":[{"index":0,"delta":{"content":"Well, "}}]}\n\n', "network"],
    ["says in it that it failed", 'data: {"error":{"message":"No.","code":"server_error"}}\n\n', "server"],
  ])("is replaced by another channel if it %s before anything was sent", async (_name, text, kind) => {
    upstream.play({ chunks: [head("text/event-stream"), text], ending: "end" });
    const { status, paid } = await ask("openai-chat", "chat-or-demo", false);
    expect(status).toBe(200);
    const [row] = await gateway.logs();
    expect(row?.attempts?.map(({ result }) => result)).toEqual([kind, "ok"]);
    expect(row?.quota).toBe(paid);
    expect(await gateway.drift()).toBe(0n);
  });
});

describe("a provider that compresses although it was not requested", () => {
  const gzip = { "content-encoding": "gzip" };
  const pairsOfOne = pairs.filter(({ client }) => client === "openai-chat" || client === "openai-responses");

  it.each(pairsOfOne)("streams to a client of $client as without compression ($provider)", async (pair) => {
    upstream.play({
      chunks: [head("text/event-stream", gzip), gzipSync(streamed(pair.provider))],
      ending: "end",
    });
    const rows = (await gateway.logs(0)).length;
    const { status, text, paid } = await ask(pair.client, pair.provider, true);
    expect(status).toBe(200);
    expectAnswer(readStream(pair.client, text));
    await expectBill(paid, rows);
  });

  it.each(pairsOfOne)("responds to a client of $client as without compression ($provider)", async (pair) => {
    const body = brotliCompressSync(JSON.stringify(answers[pair.provider]));
    const headers = { "content-encoding": "br", "content-length": String(body.length) };
    upstream.play({ chunks: [head("application/json", headers), body], ending: "end" });
    const rows = (await gateway.logs(0)).length;
    const { status, text, paid } = await ask(pair.client, pair.provider, false);
    expect(status).toBe(200);
    expectAnswer(dialects[pair.client].decodeResponse(JSON.parse(text)));
    await expectBill(paid, rows);
  });

  it("returns its errors as errors", async () => {
    const body = { error: { message: "Too long.", type: "invalid_request_error", code: null } };
    upstream.play({
      chunks: [head("application/json", gzip, 400), gzipSync(JSON.stringify(body))],
      ending: "end",
    });
    const { status, text, paid } = await ask("openai-chat", "openai-chat", true);
    expect({ status, paid }).toEqual({ status: 400, paid: 0 });
    expect(text).toContain("Too long.");
  });

  it("is replaced by another channel when its data is corrupt", async () => {
    upstream.play({ chunks: [head("application/json", gzip), '{"id":"1"}'], ending: "end" });
    const { status, paid } = await ask("openai-chat", "chat-or-demo", false);
    expect(status).toBe(200);
    const [row] = await gateway.logs();
    expect(row?.attempts?.map(({ result }) => result)).toEqual(["network", "ok"]);
    expect(row?.quota).toBe(paid);
    expect(await gateway.drift()).toBe(0n);
  });
});
