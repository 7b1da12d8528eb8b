import { describe, expect, it } from "vitest";
import { dialects } from "#dialects/index.ts";

/** Answers in the shapes that vendors document, where they differ from the wire they speak. */
const chat = dialects["openai-chat"];

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
