import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { LogPage, LogRow } from "@gateway/shared/usage/log";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/**
 * The maximum cost of a request is reserved before the provider is called, and the provider gets no higher
 * limit.
 */
let gateway: TestGateway;
let provider: Server;
let key: string;
let root: number;
/** Bodies that the provider received. */
let got: Record<string, unknown>[] = [];
/** The provider's responses, by a part of the path. */
let answers: Record<string, object> = {};

const usage = (input: number, output: number) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
});
const chatAnswer = (counted: object) => ({
  id: "c",
  object: "chat.completion",
  model: "m",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hi" } }],
  usage: counted,
});

beforeAll(async () => {
  provider = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      got.push(JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>);
      const found = Object.entries(answers).find(([path]) => request.url?.includes(path));
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(found?.[1] ?? {}));
    });
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  const base_url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  gateway = await startTestGateway();
  const audio = { extra_ratios: { output_audio_tokens: 20 } };
  for (const [model, price] of Object.entries({
    plain: {},
    spoken: audio,
    "plain-claude": {},
    "plain-gemini": {},
    ranker: {},
  }))
    await gateway.addPrice(model, { input: 1, output: 1, ...price });
  await gateway.addPrice("by-piece", { type: "times", input: 1, output: 1 });
  await gateway.addChannel({ type: 1, base_url, name: "openai", models: ["plain", "spoken", "by-piece"] });
  await gateway.addChannel({ type: 14, base_url, name: "claude", models: ["plain-claude"] });
  await gateway.addChannel({ type: 25, base_url, name: "gemini", models: ["plain-gemini"] });
  await gateway.addChannel({ type: 8, base_url, name: "any", models: ["ranker"] });
  ({ key } = await gateway.addToken());
  root = (await gateway.api<{ id: number }>("GET", "/user/self")).id;
});
afterAll(async () => {
  await gateway.stop();
  provider.close();
});
beforeEach(() => {
  got = [];
  answers = {};
});

async function setBalance(points: number): Promise<void> {
  const { quota } = await gateway.api<{ quota: number }>("GET", "/user/self");
  if (quota === points) return;
  await gateway.api("POST", `/user/quota/${root}`, { quota: points - quota, remark: "test" });
}

const balance = async () => (await gateway.api<{ quota: number }>("GET", "/user/self")).quota;

function post(path: string, body: object): Promise<Response> {
  return fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

async function lastRow(): Promise<LogRow> {
  const { data } = await gateway.api<LogPage>("GET", "/log?size=1");
  const [row] = data;
  if (row === undefined) throw new Error("The call is not in the log.");
  return row;
}

const chat = (more: object, model = "plain") => ({
  model,
  messages: [{ role: "user", content: "Hello" }],
  ...more,
});
const completion = (more: object) => ({ model: "plain", prompt: "Hello", max_tokens: 100, ...more });

describe("a balance of 600 points", () => {
  it.each<[string, string, object, number]>([
    ["two limits", "/v1/chat/completions", chat({ max_tokens: 100_000, max_completion_tokens: 1 }), 402],
    ["several answers", "/v1/chat/completions", chat({ max_tokens: 100, n: 10 }), 402],
    [
      "thinking above the limit",
      "/v1/chat/completions",
      chat({ max_tokens: 9, thinking_budget: 9_000 }),
      402,
    ],
    [
      "a prediction",
      "/v1/chat/completions",
      chat({ max_tokens: 9, prediction: { type: "content", content: "word ".repeat(2_000) } }),
      402,
    ],
    [
      "an answer in sound",
      "/v1/chat/completions",
      chat(
        { max_tokens: 100, modalities: ["text", "audio"], audio: { voice: "x", format: "wav" } },
        "spoken",
      ),
      402,
    ],
    ["a tool of the provider", "/v1/chat/completions", chat({ max_tokens: 9, web_search_options: {} }), 402],
    ["many prompts", "/v1/completions", completion({ prompt: Array.from({ length: 200 }, () => "Hi") }), 402],
    [
      "prompts as tokens",
      "/v1/completions",
      completion({ prompt: [[1], [2], [3], [4], [5], [6], [7]] }),
      402,
    ],
    ["candidates", "/v1/completions", completion({ best_of: 20 }), 402],
    [
      "a query for many documents",
      "/v1/rerank",
      { model: "ranker", query: "word ".repeat(50), documents: Array.from({ length: 50 }, () => "a") },
      402,
    ],
    [
      "a text that is read aloud",
      "/v1/audio/speech",
      { model: "spoken", voice: "x", input: "word ".repeat(100) },
      402,
    ],
    ["a picture", "/v1/images/generations", { model: "plain", prompt: "A boat" }, 402],
    ["what it pays for", "/v1/chat/completions", chat({ max_tokens: 100 }), 200],
    ["one prompt of tokens", "/v1/completions", completion({ prompt: [1, 2, 3, 4, 5, 6, 7] }), 200],
  ])("%s", async (_, path, body, status) => {
    await setBalance(600);
    answers = { "": chatAnswer(usage(10, 10)) };
    const answer = await post(path, body);
    expect(answer.status, await answer.text()).toBe(status);
    expect(got).toHaveLength(status === 200 ? 1 : 0);
  });

  it("rejects ten concurrent calls with two limits each, and no balance is negative", async () => {
    await setBalance(600);
    answers = { chat: chatAnswer(usage(10, 100_000)) };
    const body = chat({ max_tokens: 100_000, max_completion_tokens: 1 });
    const sent = await Promise.all(Array.from({ length: 10 }, () => post("/v1/chat/completions", body)));
    expect(sent.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 402));
    expect(await balance()).toBe(600);
  });

  it("keeps the balance at zero or above when the provider of ten concurrent calls ignores every limit", async () => {
    await setBalance(600);
    answers = { chat: chatAnswer(usage(900_000_000, 900_000_000)) };
    await Promise.all(
      Array.from({ length: 10 }, () => post("/v1/chat/completions", chat({ max_tokens: 30 }))),
    );
    expect(await balance()).toBeGreaterThanOrEqual(0);
    expect(await gateway.drift()).toBe(0n);
  });
});

describe("limits that are sent to a provider", () => {
  const strange = {
    n_predict: 5_000,
    num_predict: -1,
    max_new_tokens: 5_000,
    best_of: 7,
    num_return_sequences: 7,
    options: { num_predict: 5_000, num_ctx: 100 },
    parameters: { max_new_tokens: 5_000 },
    extra_body: { max_new_tokens: 5_000, best_of: 3 },
    models: ["plain", "dear"],
    plugins: [{ id: "web" }],
    chat_template: "{% for i in range(9999999) %}a{% endfor %}",
  };
  const gone = /5000|num_predict|best_of|dear|plugins|num_return|range/;

  it.each<[string, string, object, object]>([
    ["chat", "/v1/chat/completions", chat({ max_tokens: 50, ...strange }), chatAnswer(usage(1, 1))],
    [
      "responses",
      "/v1/responses",
      { model: "plain", input: "Hello", max_output_tokens: 50, max_tokens: 5_000, ...strange },
      {
        id: "resp_1",
        object: "response",
        status: "completed",
        model: "plain",
        output: [
          {
            type: "message",
            id: "m",
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text: "Hi", annotations: [] }],
          },
        ],
        usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
      },
    ],
    [
      "messages",
      "/v1/messages",
      {
        model: "plain-claude",
        max_tokens: 50,
        max_completion_tokens: 5_000,
        n: 9,
        messages: [{ role: "user", content: "Hello" }],
        ...strange,
      },
      {
        id: "m",
        type: "message",
        role: "assistant",
        model: "plain-claude",
        content: [{ type: "text", text: "Hi" }],
        stop_reason: "end_turn",
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    ],
    [
      "gemini",
      "/v1beta/models/plain-gemini:generateContent",
      {
        contents: [{ role: "user", parts: [{ text: "Hello" }] }],
        generationConfig: { maxOutputTokens: 50, max_new_tokens: 5_000, best_of: 7 },
        ...strange,
      },
      {
        candidates: [{ content: { role: "model", parts: [{ text: "Hi" }] }, finishReason: "STOP" }],
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 },
      },
    ],
    [
      "completions",
      "/v1/completions",
      completion({ max_tokens: 50, ...strange, best_of: 1 }),
      { choices: [{ text: "Hi" }], usage: usage(1, 1) },
    ],
  ])("%s", async (name, path, body, reply) => {
    await setBalance(1_000_000);
    answers = { "": reply };
    const answer = await post(path, body);
    expect(answer.status, await answer.clone().text()).toBe(200);
    const dropped = answer.headers.get("x-gateway-dropped") ?? "";
    for (const field of [
      "n_predict",
      "options.num_predict",
      "extra_body.max_new_tokens",
      "models",
      "plugins",
    ])
      expect(dropped.split(", "), dropped).toContain(field);
    const text = JSON.stringify(got[0]);
    expect(name === "completions" ? text.replace('"best_of":1', "") : text).not.toMatch(gone);
    expect(text).toMatch(/"max_?(?:output_?)?tokens":50[,}]/i);
  });

  it("reserves and sends the larger of two limits of chat", async () => {
    await setBalance(1_000_000);
    answers = { chat: chatAnswer(usage(10, 900)) };
    const answer = await post("/v1/chat/completions", chat({ max_tokens: 1_000, max_completion_tokens: 1 }));
    expect(answer.headers.get("x-gateway-dropped")).toBe("max_tokens");
    expect(got[0]).toMatchObject({ max_completion_tokens: 1_000 });
    expect(got[0]).not.toHaveProperty("max_tokens");
    expect((await lastRow()).quota).toBe(910);
  });
});

describe("a request of an older endpoint", () => {
  const pictures = { data: Array.from({ length: 4 }, () => ({ url: "https://example.com/a.png" })) };

  it.each([
    { batch_size: 4 },
    { num_images: 4 },
    { sampleCount: 4 },
    { extra_body: { num_outputs: 4 } },
    { sequential_image_generation: "auto", sequential_image_generation_options: { max_images: 4 } },
  ])("requests no more images than it pays for: %j", async (more) => {
    await setBalance(1_000_000);
    answers = { images: pictures };
    const answer = await post("/v1/images/generations", { model: "by-piece", prompt: "A boat", ...more });
    expect(answer.status).toBe(200);
    expect(JSON.stringify(got[0])).not.toMatch(/:4|"auto"/);
    // A larger response is billed by the piece.
    expect((await lastRow()).quota).toBe(4_000);
  });

  it.each(["num_images", "batch_size", "models", "fallbacks", "max_new_tokens", "model[]", "model[0]"])(
    "rejects a form with the field %s",
    async (name) => {
      const form = new FormData();
      form.set("model", "by-piece");
      form.set("prompt", "A boat");
      form.set("image", new Blob(["x"], { type: "image/png" }), "a.png");
      form.set(name, "8");
      const answer = await fetch(`${gateway.url}/v1/images/edits`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}` },
        body: form,
      });
      expect([answer.status, got]).toEqual([400, []]);
    },
  );

  it.each([{ n: true }, { n: [5] }, { n: " 5" }, { n: "0x10" }, { best_of: "1e1" }, { max_tokens: [9] }])(
    "rejects a number that other parsers read differently: %j",
    async (more) => {
      expect((await post("/v1/completions", completion(more))).status).toBe(400);
      expect(got).toEqual([]);
    },
  );

  it("rejects another model in an object that some servers merge", async () => {
    await setBalance(1_000_000);
    answers = { chat: chatAnswer(usage(1, 1)) };
    await post("/v1/chat/completions", chat({ max_tokens: 5, extra_body: { model: "dear" } }));
    expect(JSON.stringify(got[0])).not.toContain("dear");
  });
});

describe("the limit that Anthropic's format requires", () => {
  it("is reserved as it is sent", async () => {
    // Less than the limit is reserved and sent where the balance does not cover it.
    await setBalance(6_000);
    await post("/v1/chat/completions", chat({}, "plain-claude"));
    expect(got.splice(0)).toMatchObject([{ max_tokens: 4_096 }]);
    await setBalance(4_000);
    const requested = await post("/v1/chat/completions", chat({}, "plain-claude"));
    expect([requested.status, got]).toEqual([402, []]);
    await setBalance(1_000_000);
    await post("/v1/chat/completions", chat({}, "plain-claude"));
    expect(got[0]).toMatchObject({ max_tokens: 8_192 });
  });
});

describe("embedded images", () => {
  it("are charged when the provider reports no usage", async () => {
    await setBalance(1_000_000);
    answers = { embedContent: { embedding: { values: [1] } } };
    const inlineData = { mimeType: "image/png", data: "AAAA" };
    const body = { model: "models/dear", content: { parts: [{ inlineData }] } };
    expect((await post("/v1beta/models/plain-gemini:embedContent", body)).status).toBe(200);
    expect(JSON.stringify(got[0])).not.toContain("dear");
    expect((await lastRow()).quota).toBeGreaterThan(1_000);
  });
});
