import { defaultSettings } from "@gateway/shared/site/settings";
import { describe, expect, it } from "vitest";
import type { Wire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { DialectId } from "#dialects/ir.ts";
import type { ActiveChannel } from "#domain/channels/selection/active-channel.ts";
import { channel } from "#domain/channels/selection/channels.fixture.ts";
import { openProviders } from "#providers/registry.ts";
import { encodeBody } from "./encode-chat.ts";
import { withParameters } from "./operator-fields.ts";

const chat: Wire = { model: "gpt", messages: [{ role: "user", content: "Hi" }], temperature: 1 };

function sent(part: Partial<ActiveChannel>, upstream: DialectId = "openai-chat", body = chat) {
  const client = dialects["openai-chat"];
  const given = {
    client,
    body,
    raw: Buffer.from(JSON.stringify(body)),
    request: client.decodeRequest(body, {}),
  };
  const chosen = { channel: channel({ id: 1, ...part }), upstreamModel: "gpt" };
  const shape = { model: "gpt", stream: false, other: "", plugin: {} };
  const encoded = encodeBody(given, chosen, dialects[upstream], shape, defaultSettings);
  return { ...encoded, wire: JSON.parse(String(encoded.body)) as Wire };
}

describe("the operator's own parameters", () => {
  it("fill in omitted fields, or override the request's", () => {
    expect(withParameters(chat, { temperature: 0, seed: 7 }, "gpt")).toMatchObject({
      temperature: 1,
      seed: 7,
    });
    expect(withParameters(chat, { overwrite: true, temperature: 0 }, "gpt")).toMatchObject({
      temperature: 0,
    });
  });

  it("can be set per model, and can remove fields", () => {
    const parameters = { per_model: true, gpt: { seed: 7, remove: ["temperature"] }, other: { seed: 8 } };
    const shaped = withParameters(chat, parameters, "gpt");
    expect(shaped).toEqual({ model: "gpt", messages: chat["messages"], seed: 7 });
    expect(withParameters(chat, { remove: ["temperature"] }, "gpt")).not.toHaveProperty("temperature");
  });

  it("never change streaming, and never reach the provider as control fields", () => {
    const wish = { stream: true, overwrite: true, pre_add: true, remove: ["stream", "nothing"] };
    expect(withParameters({ ...chat, stream: false }, wish, "gpt")).toEqual({ ...chat, stream: false });
  });

  it("are translated with the request if added before", () => {
    const early = sent({ parameters: { pre_add: true, stop: ["END"] } }, "anthropic");
    expect(early.wire).toMatchObject({ stop_sequences: ["END"] });
    expect(sent({ parameters: { stop: ["END"] } }, "anthropic").wire).toMatchObject({ stop: ["END"] });
  });
});

describe("a channel's system prompt", () => {
  it("is sent in the provider's wire for every dialect of the client", () => {
    const part = { systemPrompt: "Be kind." };
    expect(sent(part).wire["messages"]).toEqual([
      { role: "system", content: "Be kind." },
      ...(chat["messages"] as []),
    ]);
    expect(sent(part, "anthropic").wire["system"]).toBe("Be kind.");
    expect(sent(part, "gemini").wire["systemInstruction"]).toEqual({ parts: [{ text: "Be kind." }] });
    expect(sent(part, "openai-responses").wire["instructions"]).toBe("Be kind.");
  });
});

describe("a list of fallback models", () => {
  it("may be set by the operator", () => {
    const models = ["gpt", "dearer"];
    expect(sent({ parameters: { models } }).wire).toMatchObject({ models });
  });
});

describe("a provider's quirks", () => {
  it("know when the client speaks another dialect", () => {
    const seen: unknown[] = [];
    const part = channel({ id: 1 });
    const provider: ActiveChannel["provider"] = {
      ...part.provider,
      adjustRequest(body, { translated }) {
        seen.push(translated);
        return body;
      },
    };
    for (const upstream of ["openai-chat", "anthropic"] as const) sent({ provider }, upstream);
    expect(seen).toEqual([undefined, true]);
  });
});

describe("unknown fields", () => {
  const body = { ...chat, custom_rule: 1 };
  it("pass in their own dialect, and to another only if the operator allows it", () => {
    expect(sent({}, "openai-chat", body).body).toEqual(Buffer.from(JSON.stringify(body)));
    const strict = sent({}, "anthropic", body);
    expect(strict.wire).not.toHaveProperty("custom_rule");
    expect(strict.dropped).toContain("custom_rule");
    const open = sent({ allowExtraBody: true }, "anthropic", body);
    expect(open.wire).toMatchObject({ custom_rule: 1 });
    expect(open.dropped).not.toContain("custom_rule");
  });
});

describe("fields that a provider does not accept", () => {
  const named = (
    type: string,
    body: Wire,
    upstream: DialectId = "openai-chat",
    client: DialectId = "openai-chat",
  ) => {
    const spoken = dialects[client];
    const given = {
      client: spoken,
      body,
      raw: Buffer.from(JSON.stringify(body)),
      request: spoken.decodeRequest(body, {}),
    };
    const provider = [...openProviders().values()].find(({ id }) => id === type);
    if (provider === undefined) throw new Error(`There is no provider ${type}`);
    const upstreamModel = String(body["model"]);
    const chosen = { channel: channel({ id: 1, provider }), upstreamModel };
    const shape = { model: upstreamModel, stream: false, dialect: upstream, other: "", plugin: {} };
    const encoded = encodeBody(given, chosen, dialects[upstream], shape, defaultSettings);
    return { dropped: encoded.dropped, wire: JSON.parse(String(encoded.body)) as Wire };
  };
  const messages = [{ role: "user", content: "Hi", name: "ann" }];
  const schema = { type: "json_schema", json_schema: { name: "a", schema: { type: "object" } } };

  it.each<[string, Wire, string[]]>([
    ["openai", { model: "gpt-5", temperature: 0.2, top_p: 0.5, max_tokens: 9 }, ["temperature", "top_p"]],
    [
      "groq",
      { model: "llama-3.3-70b-versatile", n: 2, logprobs: true, reasoning_effort: "low" },
      ["n", "logprobs", "messages.name", "reasoning_effort"],
    ],
    ["cohere", { model: "command-a", n: 2, user: "me", service_tier: "auto" }, ["n", "user", "service_tier"]],
    ["mistral", { model: "m", user: "me", logprobs: true, seed: 7, stream: true }, ["user", "logprobs"]],
    ["xai", { model: "grok-4.3", stop: ["x"], presence_penalty: 1 }, ["stop", "presence_penalty"]],
    ["deepseek", { model: "deepseek-v4-pro", response_format: schema }, ["response_format"]],
    [
      "zhipu",
      { model: "glm-4-flash", tool_choice: "required", temperature: 2 },
      ["tool_choice", "temperature"],
    ],
    ["openai", { model: "gpt-4o", stop: ["1", "2", "3", "4", "5"] }, ["stop"]],
  ])("%s: are reported to a client of the same format", (type, fields, names) => {
    const { dropped } = named(type, { messages, ...fields });
    expect(dropped.toSorted()).toEqual(names.toSorted());
  });

  it("are not reported when nothing is lost", () => {
    const body = { model: "gpt-5", messages, max_tokens: 9, reasoning_effort: "low" };
    expect(named("openai", body)).toMatchObject({ dropped: [], wire: { max_completion_tokens: 9 } });
    expect(named("anthropic", { ...body, model: "claude-sonnet-5-5" }, "anthropic").dropped).toEqual([
      "messages.name",
    ]);
  });

  it("are reported by the caller's names when the body was translated", () => {
    const chat = {
      model: "claude-sonnet-5-5",
      messages: [{ role: "user", content: "Hi" }],
      temperature: 0.7,
    };
    const { dropped, wire } = named("anthropic", { ...chat, reasoning_effort: "high" }, "anthropic");
    expect(dropped).toEqual(["temperature"]);
    expect(wire).toMatchObject({ thinking: { type: "adaptive" }, output_config: { effort: "high" } });
    const small = { ...chat, temperature: 1, max_tokens: 500, reasoning_effort: "high" };
    expect(named("anthropic", small, "anthropic").dropped).toEqual([]);
    expect(named("anthropic", { ...small, model: "claude-sonnet-4-5" }, "anthropic").dropped).toEqual([
      "reasoning",
    ]);
    const claude = { model: "gpt-5", max_tokens: 9, messages: chat.messages, thinking: { type: "disabled" } };
    expect(named("openai", claude, "openai-chat", "anthropic").dropped).toEqual(["reasoning"]);
  });
});
