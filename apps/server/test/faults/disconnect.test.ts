import { request as httpRequest } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { LogRow } from "@gateway/shared/usage/log";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { head, type RawUpstream, type Script, startRawUpstream } from "#test/raw-upstream.ts";

/**
 * Clients that disconnect are charged for what was produced. A request that never reached a provider is free.
 */
let gateway: TestGateway;
let raw: RawUpstream;
let key: string;
const models = ["chat", "thinker", "claude", "gemini", "responses", "image", "speech", "embedding"];

beforeAll(async () => {
  raw = await startRawUpstream();
  gateway = await startTestGateway();
  const values = {
    RetryCooldownSeconds: 0,
    RetryTimes: 0,
    AutomaticDisableChannelEnabled: false,
    DisconnectDrainSeconds: 1,
    // Ends a response that is read to its end and never comes.
    IdleTimeoutMs: 2_000,
  };
  await gateway.api("PUT", "/option/batch", { values });
  for (const model of models) await gateway.addPrice(model);
  for (const [model, type] of [
    ["chat", 8],
    ["claude", 14],
    ["gemini", 25],
    ["responses", 1],
    ["image", 1],
    ["speech", 1],
    ["embedding", 1],
  ] as const)
    await gateway.addChannel({ type, name: model, base_url: raw.url, models: [model] });
  await gateway.addChannel({ type: 8, name: "reasoners", base_url: raw.url, models: ["o3", "thinker"] });
});
afterAll(async () => {
  await gateway.stop();
  await raw.close();
});
/** Resolves when the client of the test has disconnected. */
let left = Promise.withResolvers<void>();
beforeEach(async () => {
  left = Promise.withResolvers();
  ({ key } = await gateway.addToken());
});

interface Ask {
  path: string;
  body: object;
}

/** Sends a request and disconnects after reading `until`, or once the provider has the request. */
async function askAndLeave({ path, body }: Ask, until: string | undefined): Promise<void> {
  const before = raw.calls();
  let read = "";
  const sent = httpRequest(`${gateway.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  });
  sent.on("error", () => {});
  sent.on("response", (response) =>
    response.on("data", (bytes) => (read += String(bytes))).on("error", () => {}),
  );
  sent.end(JSON.stringify(body));
  if (until === undefined) await expect.poll(() => raw.calls(), { interval: 5 }).toBe(before + 1);
  else await expect.poll(() => read, { interval: 5 }).toContain(until);
  sent.destroy();
  left.resolve();
}

async function row(): Promise<LogRow> {
  const token = await gateway.database.db.token.findFirstOrThrow({ orderBy: { id: "desc" } });
  const [found] = await gateway.logs(1, token.id);
  if (found === undefined) throw new Error("no row");
  await expect.poll(() => gateway.database.db.reservation.count()).toBe(0);
  expect(await gateway.drift()).toBe(0n);
  return found;
}

const sse = head("text/event-stream");
const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const named = (value: { type: string; [field: string]: unknown }) => `event: ${value.type}\n${data(value)}`;

const chat = (fields: object = {}): Ask => ({
  path: "/v1/chat/completions",
  body: { model: "chat", stream: true, messages: [{ role: "user", content: "Tell me." }], ...fields },
});
const word = (content: string) => data({ id: "c", model: "m", choices: [{ index: 0, delta: { content } }] });
const finish = data({ id: "c", model: "m", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
const usage = data({
  id: "c",
  model: "m",
  choices: [],
  usage: { prompt_tokens: 7, completion_tokens: 20_000, total_tokens: 20_007 },
});

/** A provider that pauses after each chunk. */
const slowly = (chunks: string[]): Script => ({ chunks, ending: "end", pauseMs: 150 });

interface Variant {
  ask: Ask;
  chunks: string[];
  until: string;
  usage: { prompt_tokens: number; completion_tokens: number };
}

const claudeUsage = { output_tokens: 20_000 };
const gemini = (value: object) => data({ modelVersion: "g", ...value });
const geminiText = { content: { role: "model", parts: [{ text: "The whole answer." }] }, index: 0 };
const image = (type: string, more: object = {}) => named({ type, b64_json: "aGVsbG8=", ...more });

const variants: Record<string, Variant> = {
  "hidden reasoning": {
    ask: chat({ reasoning_effort: "high" }),
    chunks: [sse, word("The whole answer."), finish, usage, "data: [DONE]\n\n"],
    until: "whole answer",
    usage: { prompt_tokens: 7, completion_tokens: 20_000 },
  },
  "one character for each token": {
    ask: chat(),
    chunks: [
      sse,
      "abcdefghijklmnopqrstuvwxyz".split("").map(word).join(""),
      finish,
      usage,
      "data: [DONE]\n\n",
    ],
    until: '"z"',
    usage: { prompt_tokens: 7, completion_tokens: 20_000 },
  },
  Messages: {
    ask: {
      path: "/v1/messages",
      body: {
        model: "claude",
        stream: true,
        max_tokens: 30_000,
        messages: [{ role: "user", content: "Hi" }],
      },
    },
    chunks: [
      sse,
      named({
        type: "message_start",
        message: { id: "m", usage: { input_tokens: 7, output_tokens: 1 } },
      }),
      named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }) +
        named({
          type: "content_block_delta",
          index: 0,
          delta: { type: "text_delta", text: "The whole answer." },
        }),
      named({ type: "content_block_stop", index: 0 }),
      named({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: claudeUsage }) +
        named({ type: "message_stop" }),
    ],
    until: "whole answer",
    usage: { prompt_tokens: 7, completion_tokens: 20_000 },
  },
  Gemini: {
    ask: {
      path: "/v1beta/models/gemini:streamGenerateContent?alt=sse",
      body: { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
    },
    chunks: [
      sse,
      gemini({ candidates: [geminiText] }),
      gemini({
        candidates: [{ ...geminiText, content: { role: "model", parts: [] }, finishReason: "STOP" }],
        usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 20_000, totalTokenCount: 20_007 },
      }),
    ],
    until: "whole answer",
    usage: { prompt_tokens: 7, completion_tokens: 20_000 },
  },
  Responses: {
    ask: { path: "/v1/responses", body: { model: "responses", stream: true, input: "Hi" } },
    chunks: [
      sse,
      named({ type: "response.created", response: { id: "resp_1", status: "in_progress" } }),
      named({
        type: "response.output_text.delta",
        item_id: "i",
        output_index: 0,
        content_index: 0,
        delta: "The whole answer.",
      }),
      named({
        type: "response.completed",
        response: {
          id: "resp_1",
          status: "completed",
          output: [],
          usage: { input_tokens: 7, output_tokens: 20_000, total_tokens: 20_007 },
        },
      }),
    ],
    until: "whole answer",
    usage: { prompt_tokens: 7, completion_tokens: 20_000 },
  },
  "an image stream, left after the third partial image": {
    ask: { path: "/v1/images/generations", body: { model: "image", prompt: "a boat", stream: true } },
    chunks: [
      sse,
      ...[0, 1, 2].map((partial_image_index) =>
        image("image_generation.partial_image", { partial_image_index }),
      ),
      image("image_generation.completed", {
        usage: { input_tokens: 7, output_tokens: 6_240, total_tokens: 6_247 },
      }),
    ],
    until: '"partial_image_index":2',
    usage: { prompt_tokens: 7, completion_tokens: 6_240 },
  },
  "speech as events": {
    ask: {
      path: "/v1/audio/speech",
      body: { model: "speech", input: "Hi", voice: "a", stream_format: "sse" },
    },
    chunks: [
      sse,
      named({ type: "speech.audio.delta", audio: "aGVsbG8=" }),
      named({
        type: "speech.audio.done",
        usage: { input_tokens: 7, output_tokens: 20, total_tokens: 27 },
      }),
    ],
    until: "aGVsbG8=",
    usage: { prompt_tokens: 7, completion_tokens: 20 },
  },
};

describe("a client that disconnects before the usage", () => {
  it.each(Object.entries(variants))("%s: is charged by the provider's usage", async (_name, variant) => {
    raw.play(slowly(variant.chunks));
    await askAndLeave(variant.ask, variant.until);
    expect(await row()).toMatchObject({
      ...variant.usage,
      outcome: "client-left",
      status: 499,
      estimated: false,
    });
  });

  it.each([
    [
      "reasoning",
      { ...chat({ reasoning_effort: "high", max_tokens: 1_000 }) },
      [word("Well.")],
      "Well.",
      250,
    ],
    [
      "an image",
      variants["an image stream, left after the third partial image"]!.ask,
      [image("x")],
      "aGVsbG8=",
      6_240,
    ],
  ] as const)("%s: pays the documented share when the provider reports nothing in time", async (...given) => {
    const [, ask, chunks, until, output] = given;
    raw.play({ chunks: [sse, ...chunks], ending: "hang" });
    await askAndLeave(ask, until);
    expect(await row()).toMatchObject({ outcome: "client-left", completion_tokens: output, estimated: true });
    // The gateway cancels the provider's call at the limit.
    expect(raw.leftAt()).toBeDefined();
  });

  it.each([
    ["reasoning that was requested", chat({ reasoning_effort: "high" })],
    ["a model that is known to reason", chat({ model: "o3" })],
    [
      "a document in the input",
      chat({
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "Sum up." },
              {
                type: "file",
                file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" },
              },
            ],
          },
        ],
      }),
    ],
  ])(
    "%s: the response is read to its end, however long its tail is",
    { tags: "nightly" },
    async (_name, ask) => {
      // Longer than DisconnectDrainSeconds.
      const tail = Array.from({ length: 20 }, (_, at) => word(` ${at}`));
      raw.play(slowly([sse, word("The whole answer."), ...tail, finish, usage, "data: [DONE]\n\n"]));
      await askAndLeave(ask, "whole answer");
      await expect.poll(() => gateway.database.db.reservation.count(), { timeout: 15_000 }).toBe(0);
      expect(await row()).toMatchObject({ completion_tokens: 20_000, estimated: false });
    },
  );

  it("a model that has shown reasoning in a usage: the next response is read to its end", async () => {
    const shown = {
      prompt_tokens: 7,
      completion_tokens: 500,
      completion_tokens_details: { reasoning_tokens: 490 },
    };
    raw.play({
      chunks: [sse, word("Yes."), finish, data({ id: "c", choices: [], usage: shown }), "data: [DONE]\n\n"],
      ending: "end",
    });
    const ask = chat({ model: "thinker" });
    await fetch(`${gateway.url}${ask.path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(ask.body),
    }).then((response) => response.text());
    ({ key } = await gateway.addToken());
    const tail = Array.from({ length: 20 }, (_, at) => word(` ${at}`));
    raw.play(slowly([sse, word("The whole answer."), ...tail, finish, usage, "data: [DONE]\n\n"]));
    await askAndLeave(ask, "whole answer");
    await expect.poll(() => gateway.database.db.reservation.count(), { timeout: 15_000 }).toBe(0);
    expect(await row()).toMatchObject({ completion_tokens: 20_000, estimated: false });
  });

  it("text without spaces: is charged one token per 2.5 characters when the provider reports no usage in time", async () => {
    raw.play({
      chunks: [sse, ...Array.from({ length: 50 }, () => word("abcdefghij")), word("!")],
      ending: "hang",
    });
    await askAndLeave(chat(), "!");
    const { completion_tokens } = await row();
    expect(completion_tokens).toBeGreaterThanOrEqual(500 / 3);
    expect(completion_tokens).toBeLessThanOrEqual(500 / 2);
  });

  it.each([
    [
      "chat",
      chat({ stream: false }),
      {
        id: "c",
        choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
        usage: { prompt_tokens: 7, completion_tokens: 900 },
      },
      900,
    ],
    [
      "embeddings",
      { path: "/v1/embeddings", body: { model: "embedding", input: "Hi" } },
      { data: [{ index: 0, embedding: [1] }], usage: { prompt_tokens: 70, total_tokens: 70 } },
      0,
    ],
  ] as const)(
    "%s, not streamed: is charged for a response that the provider completes",
    async (_name, ask, body, output) => {
      const text = JSON.stringify(body);
      raw.play({ chunks: late(head("application/json") + text), ending: "end" });
      await askAndLeave(ask, undefined);
      expect(await row()).toMatchObject({
        outcome: "client-left",
        completion_tokens: output,
        prompt_tokens: body.usage.prompt_tokens,
        estimated: false,
      });
    },
  );
});

/** Yields the text once the client has left and the gateway has had time to notice. */
async function* late(text: string): AsyncGenerator<string> {
  await left.promise;
  await sleep(300);
  yield text;
}

describe("a client that disconnects before the provider responds", () => {
  it("is not charged when the provider rejects the call", async () => {
    const refusal = JSON.stringify({ error: { message: "No.", type: "invalid_request_error" } });
    raw.play({ chunks: late(head("application/json", {}, 400) + refusal), ending: "end" });
    await askAndLeave(chat(), undefined);
    expect(await row()).toMatchObject({ quota: 0, status: 499 });
  });

  it("is not charged when the provider's connection breaks", async () => {
    raw.play({ chunks: late(""), ending: "reset" });
    await askAndLeave(chat(), undefined);
    expect(await row()).toMatchObject({ quota: 0, status: 499 });
  });

  it("is not charged when the provider was never reached", async () => {
    // The proxy never opens the tunnel.
    raw.play({ chunks: [], ending: "hang" });
    const mapping = { models: ["nowhere"], base_url: "https://127.0.0.1:9", proxy: raw.url };
    await gateway.addPrice("nowhere").catch(() => undefined);
    await gateway.addChannel({ type: 8, name: "nowhere", ...mapping });
    const sent = httpRequest(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    });
    sent.on("error", () => {});
    sent.end(JSON.stringify({ ...chat().body, model: "nowhere" }));
    await expect.poll(() => gateway.database.db.reservation.count()).toBe(1);
    sent.destroy();
    expect(await row()).toMatchObject({ quota: 0 });
  });

  it("is counted once in the metrics, like every other outcome", async () => {
    const count = async () => {
      const response = await fetch(`${gateway.url}/metrics`, {
        headers: { authorization: `Bearer root-access-token-for-the-journeys-0123456789` },
      });
      let sum = 0;
      for (const [, value] of (await response.text()).matchAll(
        /^gateway_call_duration_seconds_count\{.*chat\/completions.*\} (\d+)$/gm,
      ))
        sum += Number(value);
      return sum;
    };
    const before = await count();
    raw.play({ chunks: [], ending: "hang" });
    await askAndLeave(chat(), undefined);
    await row();
    expect(await count()).toBe(before + 1);
  });
});
