/** The providers' own client libraries must accept our output: they are the strictest clients. */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { GatewayError } from "#errors.ts";
import type { ClientDialect } from "./dialect.ts";
import { dialects } from "./index.ts";
import type { ChatEvent, ChatRequest, ChatResponse } from "./ir.ts";

const request: ChatRequest = {
  model: "some-model",
  stream: true,
  messages: [{ role: "user", parts: [{ type: "text", text: "hi" }] }],
  includeUsage: true,
};

const usage = { input: 120, output: 40, cacheRead: 20, cacheWrite5m: 10, reasoning: 5 };

/** Reasoning, text in two parts, and two tool calls whose inputs arrive in parallel. */
const events: ChatEvent[] = [
  { type: "start", id: "answer-1", model: "the-model", created: 1_795_000_000 },
  { type: "reasoning", choice: 0, part: 0, text: "Two " },
  { type: "reasoning", choice: 0, part: 0, text: "cities." },
  { type: "reasoning-proof", choice: 0, part: 0, signature: "c2ln" },
  { type: "text", choice: 0, part: 1, text: "Let me " },
  { type: "text", choice: 0, part: 1, text: "look." },
  { type: "text", choice: 0, part: 2, text: " Now." },
  { type: "tool-call", choice: 0, part: 3, id: "call_a", name: "weather" },
  { type: "tool-input", choice: 0, part: 3, text: '{"city":' },
  { type: "tool-call", choice: 0, part: 4, id: "call_b", name: "time" },
  { type: "tool-input", choice: 0, part: 4, text: '{"zone":"CET"' },
  { type: "tool-input", choice: 0, part: 3, text: '"Paris"}' },
  { type: "tool-input", choice: 0, part: 4, text: "}" },
  { type: "stop", choice: 0, reason: "tool-calls" },
  { type: "finish", usage },
];

const answer: ChatResponse = {
  id: "answer-1",
  model: "the-model",
  created: 1_795_000_000,
  choices: [
    {
      index: 0,
      finish: "tool-calls",
      parts: [
        { type: "reasoning", text: "Two cities.", signature: "c2ln" },
        { type: "text", text: "Let me look." },
        { type: "text", text: " Now." },
        { type: "tool-call", id: "call_a", name: "weather", input: '{"city":"Paris"}' },
        { type: "tool-call", id: "call_b", name: "time", input: '{"zone":"CET"}' },
      ],
    },
  ],
  usage,
};

function streamed(client: ClientDialect, list: ChatEvent[] = events): string {
  const encode = client.encodeStream(request);
  return list.map((event) => encode(event).text).join("");
}

/** Returns a transport that answers every call with the given text. */
function answering(body: string, status = 200): typeof fetch {
  const type = body.startsWith("{") ? "application/json" : "text/event-stream";
  return () => Promise.resolve(new Response(body, { status, headers: { "content-type": type } }));
}

const openai = (fetch: typeof globalThis.fetch) => new OpenAI({ apiKey: "k", fetch, maxRetries: 0 });
const anthropic = (fetch: typeof globalThis.fetch) => new Anthropic({ apiKey: "k", fetch, maxRetries: 0 });
const messages = [{ role: "user" as const, content: "hi" }];

describe("OpenAI's library on chat completions", () => {
  const client = dialects["openai-chat"];
  const calls = [
    { id: "call_a", function: { name: "weather", arguments: '{"city":"Paris"}' } },
    { id: "call_b", function: { name: "time", arguments: '{"zone":"CET"}' } },
  ];

  it("collects a stream with parallel calls and usage", async () => {
    const stream = openai(answering(streamed(client))).chat.completions.stream({
      model: "m",
      messages,
      stream_options: { include_usage: true },
    });
    const whole = await stream.finalChatCompletion();
    expect(whole.choices).toHaveLength(1);
    expect(whole.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: { content: "Let me look. Now.", tool_calls: calls },
    });
    expect(whole.usage).toMatchObject({ prompt_tokens: 120, completion_tokens: 40, total_tokens: 160 });
  });

  it("reads a complete response", async () => {
    const body = JSON.stringify(client.encodeResponse(answer, request));
    const whole = await openai(answering(body)).chat.completions.create({ model: "m", messages });
    expect(whole.choices[0]?.message).toMatchObject({ content: "Let me look. Now.", tool_calls: calls });
  });

  it("throws its own error classes for our errors", async () => {
    const { status, body } = client.encodeError(
      new GatewayError("invalid_api_key", { reason: "api_key_unknown" }),
      "req-1",
    );
    const call = openai(answering(JSON.stringify(body), status)).chat.completions.create({
      model: "m",
      messages,
    });
    await expect(call).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    await expect(call).rejects.toMatchObject({ code: "invalid_api_key" });
  });

  it("throws when a stream ends in our error", async () => {
    const text = streamed(client, events.slice(0, 6));
    const broken =
      text +
      client.encodeStreamError(
        new GatewayError("upstream_failed", { reason: "upstream_broke_off" }),
        "req-1",
      );
    const stream = openai(answering(broken)).chat.completions.stream({ model: "m", messages });
    await expect(stream.finalChatCompletion()).rejects.toThrow(
      "The provider closed the connection before its response was complete.",
    );
  });
});

describe("OpenAI's library on responses", () => {
  const client = dialects["openai-responses"];

  it("collects a stream, item by item, to the complete object", async () => {
    const stream = openai(answering(streamed(client))).responses.stream({ model: "m", input: "hi" });
    const numbers: number[] = [];
    for await (const event of stream) numbers.push(event.sequence_number);
    expect(numbers).toEqual(numbers.map((_, index) => index));
    const whole = await stream.finalResponse();
    expect(whole.output_text).toBe("Let me look. Now.");
    expect(whole.output.map((item) => item.type)).toEqual([
      "reasoning",
      "message",
      "function_call",
      "function_call",
    ]);
    expect(whole.output.slice(2)).toMatchObject([
      { call_id: "call_a", name: "weather", arguments: '{"city":"Paris"}' },
      { call_id: "call_b", name: "time", arguments: '{"zone":"CET"}' },
    ]);
    expect(whole).toMatchObject({ status: "completed", usage: { input_tokens: 120, output_tokens: 40 } });
  });

  it("reads a complete response", async () => {
    const body = JSON.stringify(client.encodeResponse(answer, request));
    const whole = await openai(answering(body)).responses.create({ model: "m", input: "hi" });
    expect(whole.output_text).toBe("Let me look. Now.");
  });

  it("throws when a stream ends in our error", async () => {
    const text = streamed(client, events.slice(0, 6));
    const broken =
      text +
      client.encodeStreamError(
        new GatewayError("upstream_failed", { reason: "upstream_broke_off" }),
        "req-1",
      );
    const stream = openai(answering(broken)).responses.stream({ model: "m", input: "hi" });
    await expect(stream.finalResponse()).rejects.toThrow(
      "The provider closed the connection before its response was complete.",
    );
  });
});

describe("Anthropic's library on messages", () => {
  const client = dialects.anthropic;
  const input = { model: "m", max_tokens: 100, messages };
  const content = [
    { type: "thinking", thinking: "Two cities.", signature: "c2ln" },
    { type: "text", text: "Let me look." },
    { type: "text", text: " Now." },
    { type: "tool_use", id: "call_a", name: "weather", input: { city: "Paris" } },
    { type: "tool_use", id: "call_b", name: "time", input: { zone: "CET" } },
  ];

  it("collects a stream block by block, although the calls arrived in parallel", async () => {
    const whole = await anthropic(answering(streamed(client)))
      .messages.stream(input)
      .finalMessage();
    expect(whole.content).toMatchObject(content);
    expect(whole).toMatchObject({ stop_reason: "tool_use", role: "assistant", type: "message" });
    expect(whole.usage).toMatchObject({ input_tokens: 90, cache_read_input_tokens: 20, output_tokens: 40 });
  });

  it("reads a complete response", async () => {
    const body = JSON.stringify(client.encodeResponse(answer, request));
    const whole = await anthropic(answering(body)).messages.create(input);
    expect(whole.content).toMatchObject(content);
  });

  it("throws its own error classes for our errors", async () => {
    const { status, body } = client.encodeError(
      new GatewayError("rate_limit_exceeded", { reason: "one_call_at_once" }),
      "req-1",
    );
    const call = anthropic(answering(JSON.stringify(body), status)).messages.create(input);
    await expect(call).rejects.toBeInstanceOf(Anthropic.RateLimitError);
  });

  it("throws when a stream ends in our error", async () => {
    const text = streamed(client, events.slice(0, 6));
    const broken =
      text +
      client.encodeStreamError(
        new GatewayError("upstream_failed", { reason: "upstream_broke_off" }),
        "req-1",
      );
    const stream = anthropic(answering(broken)).messages.stream(input);
    await expect(stream.finalMessage()).rejects.toThrow(
      "The provider closed the connection before its response was complete.",
    );
  });
});
