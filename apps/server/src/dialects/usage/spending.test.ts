import { describe, expect, it } from "vitest";
import type { Wire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { DialectId } from "#dialects/ir.ts";
import { type Earlier, spendingOf } from "./spending.ts";

const bodies: Record<DialectId, Wire> = {
  "openai-chat": { model: "m", messages: [{ role: "user", content: "Hi" }] },
  "openai-responses": { model: "m", input: "Hi" },
  anthropic: { model: "m", max_tokens: 5, messages: [{ role: "user", content: "Hi" }] },
  gemini: { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
};

function spent(dialect: DialectId, fields: Wire) {
  const body = { ...bodies[dialect], ...fields };
  return spendingOf(body, dialects[dialect].decodeRequest(body, { model: "m" }));
}

describe("costs of a request beyond its text", () => {
  it.each(["openai-chat", "openai-responses", "anthropic", "gemini"] as const)("nothing: %s", (dialect) => {
    expect(spent(dialect, {})).toEqual({
      audio: false,
      image: false,
      thinking: 0,
      thinks: false,
      predicted: undefined,
      toolCalls: {},
      toolImages: 0,
      partialImages: 0,
      storedTokens: 0,
      unseen: false,
    });
  });

  it.each<[DialectId, Wire, object]>([
    ["openai-chat", { modalities: ["text", "audio"], audio: { voice: "a", format: "wav" } }, { audio: true }],
    ["openai-chat", { modalities: ["image", "text"] }, { image: true }],
    ["openai-chat", { web_search_options: {} }, { toolCalls: { "web-search": 5 }, unseen: true }],
    ["openai-chat", { tools: [{ type: "web_search" }] }, { toolCalls: { "web-search": 5 } }],
    ["openai-chat", { thinking_budget: 9_000 }, { thinking: 9_000 }],
    ["openai-chat", { thinking: { type: "enabled", budget_tokens: 8_000 } }, { thinking: 8_000 }],
    ["openai-chat", { thinking: { type: "enabled" } }, { thinks: true }],
    ["openai-chat", { options: [{ top_k: 1 }, { thinking_budget: 700 }] }, { thinking: 700 }],
    ["openai-chat", { thinking: { type: "disabled" } }, { thinks: false }],
    ["openai-chat", { enable_thinking: true }, { thinks: true }],
    ["openai-chat", { enable_thinking: false, think: false }, { thinks: false }],
    ["openai-chat", { chat_template_kwargs: { thinking: true } }, { thinks: true }],
    [
      "openai-chat",
      { extra_body: { google: { thinking_config: { thinking_budget: 5 } } } },
      { thinks: true },
    ],
    ["openai-chat", { think: "high", include_reasoning: true }, { thinks: true }],
    ["openai-responses", { reasoning: { enabled: true } }, { thinks: true }],
    ["openai-chat", { metadata: { thinking: true } }, { thinks: false }],
    ["openai-chat", { prediction: { type: "content", content: "a b c" } }, { predicted: "a b c" }],
    [
      "openai-responses",
      { tools: [{ type: "image_generation", partial_images: 2 }], max_tool_calls: 3 },
      { toolCalls: { "image-generation": 3 }, toolImages: 3, partialImages: 2 },
    ],
    [
      "openai-responses",
      { tools: [{ type: "file_search", vector_store_ids: ["v"] }, { type: "web_search_preview" }] },
      { toolCalls: { "file-search": 5, "web-search": 5 } },
    ],
    ["openai-responses", { previous_response_id: "resp_1" }, { storedTokens: 10_000, unseen: true }],
    [
      "anthropic",
      { tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 20 }] },
      { toolCalls: { "web-search": 20 } },
    ],
    [
      "anthropic",
      { tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 1e9 }] },
      { toolCalls: { "web-search": 100 } },
    ],
    ["anthropic", { thinking: { type: "enabled", budget_tokens: 5_000 } }, { thinking: 5_000 }],
    ["gemini", { generationConfig: { responseModalities: ["TEXT", "IMAGE"] } }, { image: true }],
    ["gemini", { generation_config: { response_modalities: ["AUDIO"] } }, { audio: true }],
    // No field hides another one.
    ["gemini", { modalities: [], generationConfig: { responseModalities: ["AUDIO"] } }, { audio: true }],
    ["gemini", { audio: {}, modalities: ["text"], generation_config: {} }, { audio: true }],
    [
      "openai-responses",
      { max_tool_calls: 90, tools: [{ type: "web_search", max_uses: 1 }] },
      { toolCalls: { "web-search": 90 } },
    ],
    ["gemini", { generationConfig: { thinkingConfig: { thinkingBudget: 700 } } }, { thinking: 700 }],
    ["gemini", { tools: [{ googleSearch: {} }] }, { toolCalls: { "web-search": 5 } }],
    ["gemini", { cachedContent: "cachedContents/1" }, { storedTokens: 10_000, unseen: true }],
  ])("%s %j", (dialect, fields, expected) => {
    expect(spent(dialect, fields)).toMatchObject(expected);
  });

  it("a stored conversation counts its length, if known", () => {
    const ask = (fields: Wire, earlier: Earlier) => {
      const body = { model: "m", input: "Hi", ...fields };
      return spendingOf(body, dialects["openai-responses"].decodeRequest(body, { model: "m" }), earlier);
    };
    const previous = { previous_response_id: "resp_1" };
    expect(ask(previous, { earlierTokens: 250_000 })).toMatchObject({ storedTokens: 250_000, unseen: true });
    expect(ask(previous, { earlierTokens: 40 }).storedTokens).toBe(40);
    expect(ask(previous, { earlierTokens: 0 }).storedTokens).toBe(10_000);
    const prompt = { prompt: { id: "pmpt_1" } };
    expect(ask({ ...previous, ...prompt }, { earlierTokens: 40 }).storedTokens).toBe(10_040);
    expect(ask(previous, { earlierTokens: 40, rewritten: true })).toMatchObject({
      storedTokens: 0,
      unseen: false,
    });
  });
});
