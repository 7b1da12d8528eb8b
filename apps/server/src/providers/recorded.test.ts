import { describe, expect, it } from "vitest";
import { dialects } from "#dialects/index.ts";
import { createFrameSplitter } from "#dialects/sse.ts";
import { azureDatabricks } from "./azure-databricks.ts";
import { bedrock } from "./bedrock.ts";
import { cloudflare } from "./cloudflare.ts";
import { deepseek } from "./deepseek.ts";
import { eventMessage } from "./event-stream.fixture.ts";
import { github } from "./github.ts";
import { readModelList } from "./model-list.ts";
import { moonshot } from "./moonshot.ts";
import { openrouter } from "./openrouter.ts";
import { outgoing } from "./outgoing.ts";
import type { Call, Io, Provider } from "./provider.ts";
import { recraft } from "./recraft.ts";
import { siliconflow } from "./siliconflow.ts";
import { stepfun } from "./stepfun.ts";
import { createTokenCache } from "./token-cache.ts";

/** Answers in the shapes that vendors document, where they differ from the wire they speak. */
const chat = dialects["openai-chat"];

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

describe("Bedrock's answers", () => {
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

  it("become Anthropic's events, with their usage, wherever the stream is cut", () => {
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
      expect(tally).toEqual({ narrow: 9, wide: 0 });
    }
  });

  it("that break off name the reason", () => {
    const exception = eventMessage(
      { ":exception-type": "throttlingException", ":message-type": "exception" },
      '{"message":"Too many tokens, please wait before trying again."}',
    );
    expect(skim(Buffer.concat([begin, exception]), 64).error).toMatchObject({
      kind: "rate-limited",
      message: "Too many tokens, please wait before trying again.",
    });
  });

  it("that refuse carry their sentence without an error object", () => {
    const body = '{"message":"The security token included in the request is invalid."}';
    expect(dialects.anthropic.decodeError(403, body, {})).toMatchObject({
      kind: "auth",
      message: "The security token included in the request is invalid.",
    });
  });
});

describe("Bedrock's requests", () => {
  const io: Io = {
    fetch: () => Promise.reject(new Error("not asked")),
    now: () => Date.UTC(2026, 10, 21),
    tokens: createTokenCache(() => 0),
  };
  const call: Call = {
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

  it("have model and stream in the address and the betas in the body", async () => {
    const sent = await outgoing(sender, "eu-west-1|api-key", call, draft, io);
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
    const { headers } = await outgoing(sender, "eu-west-1|AKID|secret|session", call, draft, io);
    expect(headers["authorization"]).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKID\/20261121\/eu-west-1\/bedrock\/aws4_request, SignedHeaders=host;x-amz-date;x-amz-security-token, Signature=[0-9a-f]{64}$/,
    );
  });

  it("are not made with a key that cannot be one", async () => {
    for (const key of ["", "sk-1", "evil.example/|key", "us-east-1|"])
      await expect(outgoing(sender, key, call, draft, io)).rejects.toThrow("The key of Bedrock");
  });
});

describe("chat answers with a vendor's own touch", () => {
  it("Spark's, with a code and a sid in place of an id", () => {
    const answer = chat.decodeResponse({
      code: 0,
      message: "Success",
      sid: "cha000b0003@dx",
      choices: [{ message: { role: "assistant", content: "Hi" }, index: 0 }],
      usage: { prompt_tokens: 6, completion_tokens: 42, total_tokens: 48 },
    });
    expect(answer.choices[0]?.parts).toEqual([{ type: "text", text: "Hi" }]);
    expect(answer.usage).toMatchObject({ input: 6, output: 42 });
  });

  it("Mistral's, with its thoughts beside the text", () => {
    const answer = chat.decodeResponse({
      id: "1",
      object: "chat.completion",
      model: "magistral-medium-latest",
      choices: [
        {
          index: 0,
          finish_reason: "stop",
          message: {
            role: "assistant",
            content: [
              { type: "thinking", thinking: [{ type: "text", text: "Hm." }] },
              { type: "text", text: "Yes." },
            ],
          },
        },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
    });
    expect(answer.choices[0]?.parts.map((part) => part.type)).toEqual(["reasoning", "text"]);
    expect(answer.usage).toMatchObject({ input: 3, output: 5 });
  });

  it("xAI's, whose thoughts are counted beside the completion", () => {
    const { usage } = chat.decodeResponse({
      id: "1",
      model: "grok-4",
      choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hi" } }],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 2,
        total_tokens: 112,
        completion_tokens_details: { reasoning_tokens: 100 },
      },
    });
    expect(usage).toMatchObject({ input: 10, output: 102, reasoning: 100 });
  });

  it("DeepSeek's, with its own words for the cache", () => {
    const { usage } = chat.decodeResponse({
      id: "1",
      model: "deepseek-chat",
      choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hi" } }],
      usage: {
        prompt_tokens: 100,
        completion_tokens: 2,
        total_tokens: 102,
        prompt_cache_hit_tokens: 64,
        prompt_cache_miss_tokens: 36,
      },
    });
    expect(usage).toMatchObject({ input: 100, cacheRead: 64, output: 2 });
  });
});

describe("refusals in a vendor's own shape", () => {
  it.each([
    [
      "Hugging Face",
      400,
      '{"error":"Model not supported by provider"}',
      "bad-request",
      "Model not supported by provider",
    ],
    ["Cohere", 401, '{"id":"1","message":"invalid api token"}', "auth", "invalid api token"],
    [
      "DeepSeek",
      402,
      '{"error":{"message":"Insufficient Balance","type":"unknown_error"}}',
      "quota",
      "Insufficient Balance",
    ],
    [
      "Vertex AI",
      429,
      '[{"error":{"code":429,"message":"Resource exhausted","status":"RESOURCE_EXHAUSTED"}}]',
      "rate-limited",
      "Resource exhausted",
    ],
    [
      "Databricks",
      404,
      '{"error_code":"ENDPOINT_NOT_FOUND","message":"The endpoint does not exist"}',
      "not-found",
      "The endpoint does not exist",
    ],
    [
      "Mistral",
      422,
      '{"object":"error","message":"Extra inputs are not permitted","type":"invalid_request_error"}',
      "bad-request",
      "Extra inputs are not permitted",
    ],
  ])("%s", (_vendor, status, body, kind, sentence) => {
    expect(chat.decodeError(status, body, {})).toMatchObject({ kind, status, message: sentence });
  });
});

function names(provider: Provider, answer: unknown): string[] | undefined {
  return provider.listing === "none" ? undefined : provider.listing?.read?.(answer);
}

describe("lists of models", () => {
  it("are read in every vendor's shape", () => {
    expect(readModelList({ object: "list", data: [{ id: "gpt-4o", object: "model" }] })).toEqual(["gpt-4o"]);
    expect(readModelList([{ id: "a/b", type: "chat" }])).toEqual(["a/b"]);
    expect(readModelList({ models: [{ name: "models/gemini-2.5-pro" }] })).toEqual(["gemini-2.5-pro"]);
    expect(readModelList({ models: [{ name: "command-a" }], next_page_token: "" })).toEqual(["command-a"]);
    expect(names(github, [{ id: "openai/gpt-4.1", publisher: "OpenAI" }])).toEqual(["openai/gpt-4.1"]);
    expect(names(cloudflare, { success: true, result: [{ name: "@cf/x/y" }] })).toEqual(["@cf/x/y"]);
    expect(names(bedrock, { modelSummaries: [{ modelId: "amazon.nova-pro-v1:0" }] })).toEqual([
      "amazon.nova-pro-v1:0",
    ]);
    expect(names(azureDatabricks, { endpoints: [{ name: "dbrx", state: {} }] })).toEqual(["dbrx"]);
  });

  it("are not found in an answer that is none", () => {
    for (const answer of [undefined, null, {}, { data: "x" }, "text"])
      expect(() => readModelList(answer)).toThrow();
  });
});

describe("balances", () => {
  it.each([
    [
      deepseek,
      { is_available: true, balance_infos: [{ currency: "CNY", total_balance: "110.00" }] },
      110,
      "CNY",
    ],
    [moonshot, { code: 0, data: { available_balance: 49.5, cash_balance: 3 }, status: true }, 49.5, "CNY"],
    [siliconflow, { code: 20000, data: { balance: "0.88", totalBalance: "88.88" } }, 88.88, "CNY"],
    [openrouter, { data: { total_credits: 100.5, total_usage: 25.25 } }, 75.25, "USD"],
    [stepfun, { object: "account", type: "prepaid", balance: 14.5 }, 14.5, "CNY"],
    [recraft, { credits: 1500, email: "a@b.example" }, 1.5, "USD"],
  ] as const)("are read from $label's answer", (provider: Provider, answer, amount, currency) => {
    expect(provider.balance?.read(answer)).toEqual({ amount, currency });
    expect(() => provider.balance?.read({ error: "no" })).toThrow();
  });
});
