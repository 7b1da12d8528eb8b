import { describe, expect, it } from "vitest";
import type { Wire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { DialectId } from "#dialects/ir.ts";
import { channel } from "#domain/channels/selection/channels.fixture.ts";
import { groq } from "#providers/definitions/groq.ts";
import { openai } from "#providers/definitions/openai.ts";
import { openrouter } from "#providers/definitions/openrouter.ts";
import { volcengine } from "#providers/definitions/volcengine.ts";
import { xai } from "#providers/definitions/xai.ts";
import { dialectFor } from "#relay/core/upstream/send.ts";

const hi = { messages: [{ role: "user", content: "Hi" }] };
const schema = { type: "object" };

function sentIn(client: DialectId, model: string, body: Wire, provider = openai): DialectId {
  const request = dialects[client].decodeRequest({ model, max_tokens: 9, ...body }, { model });
  return dialectFor(channel({ id: 1, provider }), client, model, request);
}

describe("the dialect of a call to OpenAI", () => {
  const search = { type: "web_search_20250305", name: "web_search" };
  const look = { name: "look", input_schema: schema };

  it("sends a web search of a Messages client to Responses, its other calls to chat completions", () => {
    expect(sentIn("anthropic", "gpt-4o", { ...hi, tools: [search] })).toBe("openai-responses");
    expect(sentIn("anthropic", "gpt-4o", { ...hi, tools: [look] })).toBe("openai-chat");
    expect(sentIn("anthropic", "gpt-4o", hi)).toBe("openai-chat");
  });

  it("sends a search of a Gemini client to Responses", () => {
    const body = { contents: [{ parts: [{ text: "Hi" }] }], tools: [{ googleSearch: {} }] };
    expect(sentIn("gemini", "gpt-4o", body)).toBe("openai-responses");
  });

  it("keeps a chat client's own search, and uses Responses for models without chat completions", () => {
    expect(sentIn("openai-chat", "gpt-4o-search-preview", { ...hi, web_search_options: {} })).toBe(
      "openai-chat",
    );
    expect(sentIn("openai-chat", "o3-pro", hi)).toBe("openai-responses");
    expect(sentIn("openai-responses", "o3-pro", { input: "Hi" })).toBe("openai-responses");
  });

  it("sends functions with an effort to a dialect in which the model accepts both", () => {
    const body = { ...hi, tools: [look], thinking: { type: "adaptive" } };
    expect(sentIn("anthropic", "gpt-5.4", body)).toBe("openai-responses");
    expect(sentIn("anthropic", "gpt-5.6-sol", { ...body, thinking: { type: "disabled" } })).toBe(
      "openai-chat",
    );
    expect(sentIn("anthropic", "gpt-5.1", body)).toBe("openai-chat");
  });

  it("sends a web search to Responses at every provider whose search is a tool of Responses", () => {
    for (const provider of [xai, openrouter, volcengine]) {
      const gemini = { contents: [{ parts: [{ text: "Hi" }] }], tools: [{ googleSearch: {} }] };
      expect(sentIn("gemini", "m", gemini, provider)).toBe("openai-responses");
      expect(sentIn("gemini", "m", { contents: gemini.contents }, provider)).toBe("openai-chat");
      expect(sentIn("openai-chat", "m", { ...hi, web_search_options: {} }, provider)).toBe("openai-chat");
    }
    expect(sentIn("anthropic", "m", { ...hi, tools: [search] }, xai)).toBe("openai-responses");
    expect(sentIn("anthropic", "m", { ...hi, tools: [search] }, openrouter)).toBe("anthropic");
  });

  it("leaves other providers with both formats unchanged", () => {
    expect(sentIn("anthropic", "openai/gpt-oss-120b", { ...hi, tools: [search] }, groq)).toBe("openai-chat");
  });
});
