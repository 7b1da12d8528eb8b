import { describe, expect, it } from "vitest";
import type { ChatEvent, ChatRequest } from "#dialects/ir.ts";
import { createFrameSplitter } from "#dialects/stream/sse.ts";
import { bedrock } from "#providers/definitions/cloud/bedrock.ts";
import { refusal } from "#providers/refusal.ts";
import { eventMessage } from "#providers/wires/event-stream.fixture.ts";
import { converse } from "./index.ts";

const request: ChatRequest = {
  model: "us.amazon.nova-pro-v1:0",
  stream: false,
  messages: [
    { role: "system", parts: [{ type: "text", text: "Be brief.", cache: {} }] },
    {
      role: "user",
      parts: [
        { type: "text", text: "Look" },
        { type: "image", source: { type: "data", mediaType: "image/jpeg", data: "aGk=" } },
        {
          type: "file",
          source: { type: "data", mediaType: "application/pdf", data: "aGk=" },
          filename: "my_report.v2.pdf",
        },
      ],
    },
    {
      role: "assistant",
      parts: [
        { type: "reasoning", text: "Hm.", signature: "proof" },
        { type: "tool-call", id: "call.1", name: "look", input: '{"at":1}' },
      ],
    },
    {
      role: "tool",
      parts: [
        { type: "tool-result", callId: "call.1", parts: [{ type: "text", text: "Red" }], isError: true },
      ],
    },
    { role: "user", parts: [{ type: "text", text: "Well?" }] },
  ],
  tools: [{ name: "look", description: "Looks", schema: { type: "object", properties: {} } }],
  toolChoice: { type: "required" },
  maxOutputTokens: 100,
  temperature: 1.5,
  topK: 20,
  stop: ["END", ""],
  seed: 1,
};

describe("a Converse request", () => {
  it("encodes turns, tools, images and documents as blocks with one key", () => {
    const { body, dropped } = converse.encodeRequest(request);
    expect(body).toEqual({
      system: [{ text: "Be brief." }, { cachePoint: { type: "default" } }],
      messages: [
        {
          role: "user",
          content: [
            { text: "Look" },
            { image: { format: "jpeg", source: { bytes: "aGk=" } } },
            { document: { format: "pdf", name: "my-report-v2", source: { bytes: "aGk=" } } },
          ],
        },
        {
          role: "assistant",
          content: [
            { reasoningContent: { reasoningText: { text: "Hm.", signature: "proof" } } },
            { toolUse: { toolUseId: "call_1", name: "look", input: { at: 1 } } },
          ],
        },
        {
          role: "user",
          content: [
            { toolResult: { toolUseId: "call_1", content: [{ text: "Red" }], status: "error" } },
            { text: "Well?" },
          ],
        },
      ],
      inferenceConfig: { maxTokens: 100, temperature: 1, stopSequences: ["END"] },
      toolConfig: {
        tools: [
          {
            toolSpec: {
              name: "look",
              description: "Looks",
              inputSchema: { json: { type: "object", properties: {} } },
            },
          },
        ],
        toolChoice: { any: {} },
      },
      additionalModelRequestFields: { inferenceConfig: { topK: 20 } },
    });
    expect(dropped).toEqual(["seed"]);
  });

  it("reports what the model cannot receive", () => {
    const { body, dropped } = converse.encodeRequest({
      ...request,
      model: "us.meta.llama4-maverick-17b-instruct-v1:0",
      toolChoice: { type: "none" },
      reasoning: { effort: "high" },
      n: 2,
    });
    expect(body).not.toHaveProperty("additionalModelRequestFields");
    expect(body["system"]).toEqual([{ text: "Be brief." }]);
    expect(body).not.toHaveProperty("toolConfig");
    expect(dropped.sort()).toEqual(["n", "reasoning", "seed", "top_k"]);
  });

  it.each([
    ["forbids tools", { toolChoice: { type: "none" } as const }],
    ["offers none", { tools: [], toolChoice: undefined }],
  ])("has earlier calls as text when the caller %s, so that the model cannot repeat them", (_, change) => {
    const { body } = converse.encodeRequest({ ...request, ...change });
    expect(body).not.toHaveProperty("toolConfig");
    const messages = body["messages"] as { role: string; content: object[] }[];
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(messages[1]?.content.at(-1)).toEqual({ text: '[Called look with {"at":1}]' });
    expect(messages[2]?.content).toEqual([{ text: "[Error of look]" }, { text: "Red" }, { text: "Well?" }]);
  });

  it("contains the schema, the reasoning and the tier", () => {
    const { body } = converse.encodeRequest({
      model: "us.amazon.nova-2-lite-v1:0",
      stream: false,
      messages: [{ role: "system", parts: [{ type: "text", text: "Hi" }] }],
      responseFormat: { type: "json-schema", name: "city", schema: { type: "object" } },
      reasoning: { effort: "minimal" },
      serviceTier: "flex",
    });
    expect(body).toEqual({
      messages: [{ role: "user", content: [{ text: "Hi" }] }],
      outputConfig: {
        textFormat: {
          type: "json_schema",
          structure: { jsonSchema: { name: "city", schema: '{"type":"object"}' } },
        },
      },
      additionalModelRequestFields: { reasoningConfig: { type: "enabled", maxReasoningEffort: "low" } },
      serviceTier: { type: "flex" },
    });
  });

  it("begins with a user message, also after a compaction that left only the assistant's summary", () => {
    const { body } = converse.encodeRequest({
      model: "us.amazon.nova-pro-v1:0",
      stream: false,
      messages: [
        { role: "system", parts: [{ type: "text", text: "Be brief." }] },
        { role: "assistant", parts: [{ type: "text", text: "Summary: the file was read." }] },
        { role: "user", parts: [{ type: "text", text: "Go on." }] },
      ],
    });
    expect(body).toMatchObject({
      system: [{ text: "Be brief." }],
      messages: [
        { role: "user", content: [{ text: "." }] },
        { role: "assistant", content: [{ text: "Summary: the file was read." }] },
        { role: "user", content: [{ text: "Go on." }] },
      ],
    });
  });

  it("requires content", () => {
    const empty: ChatRequest = { model: "m", stream: false, messages: [] };
    expect(() => converse.encodeRequest(empty)).toThrow("None of the given content");
  });
});

/** The forms of the API reference's examples, with our own counts. */
const usage = {
  inputTokens: 30,
  outputTokens: 12,
  totalTokens: 142,
  cacheReadInputTokens: 60,
  cacheWriteInputTokens: 40,
  cacheDetails: [
    { ttl: "1h", inputTokens: 10 },
    { ttl: "5m", inputTokens: 30 },
  ],
};
const counted = { input: 130, output: 12, cacheRead: 60, cacheWrite5m: 30, cacheWrite1h: 10 };

describe("complete responses of Converse", () => {
  it("become parts, with cached tokens counted as input", () => {
    const answer = converse.decodeResponse({
      output: {
        message: {
          role: "assistant",
          content: [
            { reasoningContent: { reasoningText: { text: "Hm.", signature: "proof" } } },
            { text: "I look." },
            { toolUse: { toolUseId: "tooluse_1", name: "look", input: { at: 1 } } },
          ],
        },
      },
      stopReason: "tool_use",
      usage,
      metrics: { latencyMs: 1275 },
    });
    expect(answer.choices).toEqual([
      {
        index: 0,
        finish: "tool-calls",
        finishRaw: "tool_use",
        parts: [
          { type: "reasoning", text: "Hm.", signature: "proof" },
          { type: "text", text: "I look." },
          { type: "tool-call", id: "tooluse_1", name: "look", input: '{"at":1}' },
        ],
      },
    ]);
    expect(answer.usage).toMatchObject(counted);
  });

  it("contain the finish reason", () => {
    const stopped = (stopReason: string) =>
      converse.decodeResponse({ output: { message: { content: [] } }, stopReason }).choices[0]?.finish;
    expect(["end_turn", "max_tokens", "guardrail_intervened", "new_word"].map(stopped)).toEqual([
      "stop",
      "length",
      "content-filter",
      "other",
    ]);
  });

  it("are rejected when they are invalid", () => {
    expect(() => converse.decodeResponse({ message: "no" })).toThrow("cannot be read");
  });
});

function piece(name: string, payload: object): Buffer {
  const headers = { ":event-type": name, ":content-type": "application/json", ":message-type": "event" };
  return eventMessage(headers, JSON.stringify({ ...payload, p: "abcd" }));
}

function read(stream: Buffer, size: number): ChatEvent[] {
  const unframe = bedrock.unframe?.open();
  const splitter = createFrameSplitter();
  const decoder = converse.decodeStream();
  const events: ChatEvent[] = [];
  for (let at = 0; at < stream.length; at += size)
    for (const { frame } of splitter.push(unframe?.(stream.subarray(at, at + size)) ?? Buffer.alloc(0)))
      events.push(...decoder.frame(frame));
  return [...events, ...decoder.end()];
}

const begin = piece("messageStart", { role: "assistant" });

describe("streams of Converse", () => {
  it("become events at any chunk boundaries", () => {
    const stream = Buffer.concat([
      begin,
      piece("contentBlockDelta", { contentBlockIndex: 0, delta: { reasoningContent: { text: "Hm." } } }),
      piece("contentBlockDelta", { contentBlockIndex: 0, delta: { reasoningContent: { signature: "s" } } }),
      piece("contentBlockStop", { contentBlockIndex: 0 }),
      piece("contentBlockDelta", { contentBlockIndex: 1, delta: { text: "Grüß" } }),
      piece("contentBlockStop", { contentBlockIndex: 1 }),
      piece("contentBlockStart", {
        contentBlockIndex: 2,
        start: { toolUse: { toolUseId: "tooluse_1", name: "look" } },
      }),
      piece("contentBlockDelta", { contentBlockIndex: 2, delta: { toolUse: { input: '{"at":' } } }),
      piece("contentBlockDelta", { contentBlockIndex: 2, delta: { toolUse: { input: "1}" } } }),
      piece("contentBlockStop", { contentBlockIndex: 2 }),
      piece("contentBlockStart", {
        contentBlockIndex: 3,
        start: { toolUse: { toolUseId: "tooluse_2", name: "stop" } },
      }),
      piece("contentBlockStop", { contentBlockIndex: 3 }),
      piece("messageStop", { stopReason: "tool_use" }),
      piece("metadata", { usage, metrics: { latencyMs: 1 } }),
    ]);
    const choice = 0;
    for (const size of [7, 100, stream.length])
      expect(read(stream, size)).toEqual([
        { type: "start", id: "", model: "" },
        { type: "reasoning", choice, part: 0, text: "Hm." },
        { type: "reasoning-proof", choice, part: 0, signature: "s" },
        { type: "text", choice, part: 1, text: "Grüß" },
        { type: "tool-call", choice, part: 2, id: "tooluse_1", name: "look" },
        { type: "tool-input", choice, part: 2, text: '{"at":' },
        { type: "tool-input", choice, part: 2, text: "1}" },
        { type: "tool-call", choice, part: 3, id: "tooluse_2", name: "stop" },
        { type: "tool-input", choice, part: 3, text: "{}" },
        { type: "stop", choice, reason: "tool-calls", raw: "tool_use" },
        { type: "finish", usage: { ...counted, raw: usage } },
      ]);
  });

  it("report the reason when they are cut off", () => {
    const exception = eventMessage(
      { ":exception-type": "modelTimeoutException", ":message-type": "exception" },
      '{"message":"The model did not answer in time."}',
    );
    expect(read(Buffer.concat([begin, exception]), 50).at(-1)).toMatchObject({
      type: "error",
      error: { kind: "timeout", message: "The model did not answer in time." },
    });
    expect(read(begin, 50).at(-1)).toMatchObject({ type: "error", error: { kind: "network" } });
  });

  it("are complete when they stop without usage", () => {
    const stream = Buffer.concat([begin, piece("messageStop", { stopReason: "end_turn" })]);
    expect(read(stream, 50).at(-1)).toEqual({ type: "finish" });
  });
});

describe("Bedrock errors", () => {
  it.each([
    [403, "UnrecognizedClientException", "auth"],
    [403, "ExpiredTokenException", "auth"],
    [403, "AccessDeniedException", "not-found"],
    [429, "ThrottlingException:http://internal.amazon.com/coral/", "rate-limited"],
    [400, "ServiceQuotaExceededException", "rate-limited"],
    [400, "ValidationException", "bad-request"],
    [429, "ModelNotReadyException", "overloaded"],
    [424, "ModelErrorException", "server"],
    [408, "ModelTimeoutException", "timeout"],
  ])("%i %s", (status, name, kind) => {
    const headers = { "x-amzn-errortype": name };
    const error = converse.decodeError(status, '{"message":"No."}', headers);
    expect(refusal(bedrock, error, headers)).toMatchObject({ kind, message: "No.", status });
  });
});
