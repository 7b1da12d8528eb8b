import { describe, expect, it } from "vitest";
import { dialects } from "#dialects/index.ts";
import { createFrameSplitter } from "#dialects/stream/sse.ts";
import { outgoing } from "#providers/outgoing.ts";
import type { RequestShape, Io } from "#providers/provider.ts";
import { createTokenCache } from "#providers/token-cache.ts";
import { eventMessage } from "#providers/wires/event-stream.fixture.ts";
import { bedrock } from "./cloud/bedrock.ts";

function chunk(event: object): Buffer {
  const bytes = Buffer.from(JSON.stringify(event)).toString("base64");
  const headers = {
    ":event-type": "chunk",
    ":content-type": "application/json",
    ":message-type": "event",
  };
  return eventMessage(headers, JSON.stringify({ bytes, p: "abcdef" }));
}

function skim(stream: Buffer, size: number) {
  const skimmer = dialects.anthropic.skim();
  const splitter = createFrameSplitter();
  const unframe = bedrock.unframe?.open();
  for (let at = 0; at < stream.length; at += size)
    for (const { frame } of splitter.push(unframe?.(stream.subarray(at, at + size)) ?? Buffer.alloc(0)))
      skimmer.frame(frame);
  return skimmer;
}

describe("responses of Bedrock", () => {
  const begin = chunk({
    type: "message_start",
    message: {
      id: "msg_bdrk_1",
      type: "message",
      role: "assistant",
      model: "claude-haiku-4-5",
      content: [],
      usage: { input_tokens: 11, cache_read_input_tokens: 4, output_tokens: 1 },
    },
  });

  it("become Anthropic's events, with their usage, at any chunk boundaries", () => {
    const stream = Buffer.concat([
      begin,
      chunk({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
      chunk({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Grüß Gott" } }),
      chunk({ type: "content_block_stop", index: 0 }),
      chunk({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 6 } }),
      chunk({
        type: "message_stop",
        "amazon-bedrock-invocationMetrics": { inputTokenCount: 11, outputTokenCount: 6 },
      }),
    ]);
    for (const size of [1, 100, stream.length]) {
      const { usage, complete, tally, error } = skim(stream, size);
      expect(usage).toMatchObject({ input: 15, cacheRead: 4, output: 6 });
      expect({ complete, error }).toEqual({ complete: true, error: undefined });
      expect(tally).toEqual({ narrow: 9, wide: 0, spaces: 1 });
    }
  });

  it("report the reason when they are cut off", () => {
    const exception = eventMessage(
      { ":exception-type": "throttlingException", ":message-type": "exception" },
      '{"message":"Too many tokens, please wait before trying again."}',
    );
    expect(skim(Buffer.concat([begin, exception]), 64).error).toMatchObject({
      kind: "rate-limited",
      message: "Too many tokens, please wait before trying again.",
    });
  });

  it("report the message of an error without an error object", () => {
    const body = '{"message":"The security token included in the request is invalid."}';
    expect(dialects.anthropic.decodeError(403, body, {})).toMatchObject({
      kind: "auth",
      message: "The security token included in the request is invalid.",
    });
  });
});

describe("requests to Bedrock", () => {
  const io: Io = {
    fetch: () => Promise.reject(new Error("not asked")),
    now: () => Date.UTC(2026, 10, 21),
    tokens: createTokenCache(() => 0),
  };
  const call: RequestShape = {
    model: "us.anthropic.claude-haiku-4-5-20251001-v1:0",
    stream: true,
    dialect: "anthropic",
    other: "",
    plugin: {},
  };
  const sender = { provider: bedrock, baseUrl: "", headers: {} };
  const body = JSON.stringify(
    bedrock.adjustRequest?.({ model: "x", stream: true, max_tokens: 5, messages: [] }, call),
  );
  const draft = {
    method: "POST" as const,
    path: "/v1/messages",
    headers: { "anthropic-beta": "context-1m-2025-08-07, other", "anthropic-version": "2023-06-01" },
    body,
  };

  it("have model and stream in the URL and the beta flags in the body", async () => {
    const sent = await outgoing(sender, "eu-west-1|api-key", call, draft, () => io);
    expect(sent.url).toBe(
      "https://bedrock-runtime.eu-west-1.amazonaws.com/model/us.anthropic.claude-haiku-4-5-20251001-v1%3A0/invoke-with-response-stream",
    );
    expect(sent.headers).toEqual({ authorization: "Bearer api-key" });
    expect(JSON.parse(String(sent.body))).toEqual({
      anthropic_version: "bedrock-2023-05-31",
      anthropic_beta: ["context-1m-2025-08-07", "other"],
      max_tokens: 5,
      messages: [],
    });
  });

  it("are signed for their region when the key is a pair", async () => {
    const { headers } = await outgoing(sender, "eu-west-1|AKID|secret|session", call, draft, () => io);
    expect(headers["authorization"]).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKID\/20261121\/eu-west-1\/bedrock\/aws4_request, SignedHeaders=host;x-amz-date;x-amz-security-token, Signature=[0-9a-f]{64}$/,
    );
  });

  it("are not sent with an invalid key", async () => {
    for (const key of ["", "sk-1", "evil.example/|key", "us-east-1|"])
      await expect(async () => outgoing(sender, key, call, draft, () => io)).rejects.toThrow(
        "The key of Bedrock",
      );
  });
});
