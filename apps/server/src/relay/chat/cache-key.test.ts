import { defaultSettings } from "@gateway/shared/site/settings";
import { describe, expect, it } from "vitest";
import type { Wire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { DialectId } from "#dialects/ir.ts";
import { channel } from "#domain/channels/selection/channels.fixture.ts";
import { groq } from "#providers/definitions/groq.ts";
import { openai } from "#providers/definitions/openai.ts";
import { xai } from "#providers/definitions/xai.ts";
import type { Target } from "#relay/core/upstream/ask.ts";
import { encodeChat } from "./encode-chat.ts";

const bodies: Partial<Record<DialectId, Wire>> = {
  anthropic: { model: "m", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] },
  "openai-chat": { model: "m", messages: [{ role: "user", content: "Hi" }] },
  "openai-responses": { model: "m", input: "Hi" },
};

interface SentOptions {
  session?: string;
  more?: Wire;
  helpsPromptCache?: boolean;
}

function sent(
  from: DialectId,
  part: Partial<Parameters<typeof channel>[0]>,
  { session = "s1", more = {}, helpsPromptCache = true }: SentOptions = {},
) {
  const client = dialects[from];
  const body = { ...bodies[from], ...more };
  const call = {
    client,
    body,
    raw: Buffer.from(JSON.stringify(body)),
    request: client.decodeRequest(body, {}),
    forward: {},
    session: () => (session === "" ? undefined : session),
    helpsPromptCache,
  };
  const target = { channel: channel({ id: 1, baseUrl: "", ...part }), upstreamModel: "m" } as Target;
  const { request } = encodeChat(call, target, defaultSettings);
  const text = (request.body as string | Buffer).toString();
  return { text, wire: JSON.parse(text) as Wire, headers: request.headers };
}

describe("the name of a session for the provider's cache", () => {
  it("is sent to OpenAI with a translated request", () => {
    expect(sent("anthropic", { provider: openai }).wire).toMatchObject({ prompt_cache_key: "s1" });
  });

  it("is a header of xAI in Chat Completions", () => {
    const { wire, headers } = sent("anthropic", { provider: xai });
    expect(headers).toMatchObject({ "x-grok-conv-id": "s1" });
    expect(wire).not.toHaveProperty("prompt_cache_key");
  });

  it("is not sent without a session, to another host, or to a provider that does not take it", () => {
    const other = { provider: openai, baseUrl: "https://gateway.example" };
    for (const { wire, headers } of [
      sent("anthropic", { provider: openai }, { session: "" }),
      sent("anthropic", other),
      sent("anthropic", { provider: groq }),
    ]) {
      expect(wire).not.toHaveProperty("prompt_cache_key");
      expect(headers).not.toHaveProperty("x-grok-conv-id");
    }
  });

  it("is added in front of a request in the provider's own dialect, whose other bytes stay", () => {
    const { text, headers } = sent("openai-chat", { provider: openai });
    expect(text).toBe(`{"prompt_cache_key":"s1",${JSON.stringify(bodies["openai-chat"]).slice(1)}`);
    expect(headers).not.toHaveProperty("x-grok-conv-id");
    const own = sent("openai-chat", { provider: xai });
    expect(own.headers).toMatchObject({ "x-grok-conv-id": "s1" });
    expect(own.text).toBe(JSON.stringify(bodies["openai-chat"]));
  });

  it("is not added where the client or the channel does not want it", () => {
    for (const { text } of [
      sent("openai-chat", { provider: openai }, { helpsPromptCache: false }),
      sent("openai-chat", { provider: openai, cacheMarks: false }),
      sent("openai-chat", { provider: openai, baseUrl: "https://gateway.example" }),
    ])
      expect(text).toBe(JSON.stringify(bodies["openai-chat"]));
  });

  it("never replaces the client's own name", () => {
    const own = { prompt_cache_key: "mine" };
    const { wire } = sent("openai-responses", { provider: openai, compatibleResponse: true }, { more: own });
    expect(wire).toMatchObject(own);
  });

  it("can be removed by the channel's parameters", () => {
    const parameters = { remove: ["prompt_cache_key"] };
    expect(sent("anthropic", { provider: openai, parameters }).wire).not.toHaveProperty("prompt_cache_key");
  });
});
