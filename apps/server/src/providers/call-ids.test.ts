import { describe, expect, it } from "vitest";
import type { Wire } from "#dialects/dialect.ts";
import { openProviders } from "./registry.ts";

const long = `call_${"x".repeat(81)}`;

const histories: Record<string, (id: string) => Wire> = {
  "openai-chat": (id) => ({
    messages: [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id, type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: id, content: "r" },
    ],
  }),
  "openai-responses": (id) => ({
    input: [
      { type: "function_call", call_id: id, name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: id, output: "r" },
    ],
  }),
  anthropic: (id) => ({
    messages: [
      { role: "assistant", content: [{ type: "tool_use", id, name: "f", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "r" }] },
    ],
  }),
};

const rules = [
  ["openai", "openai-chat", "gpt-4.1", 40],
  ["openai", "openai-responses", "gpt-4.1", 64],
  ["azure", "openai-chat", "gpt-4.1", 40],
  ["azure-v1", "openai-responses", "gpt-4.1", 64],
  ["azure-foundry", "openai-chat", "gpt-4.1", 40],
  ["azure-foundry", "anthropic", "claude-sonnet-4-5", 64],
  ["github", "openai-chat", "gpt-4.1", 40],
  ["mistral", "openai-chat", "mistral-large-latest", 9],
  ["anthropic", "anthropic", "claude-sonnet-4-5", 64],
  ["bedrock", "anthropic", "anthropic.claude-sonnet-4-5", 64],
  ["vertex", "anthropic", "claude-sonnet-4-5", 64],
] as const;

const idsIn = (body: Wire) =>
  [...JSON.stringify(body).matchAll(/"(?:id|tool_call_id|call_id|tool_use_id)":"(?<id>[^"]*)"/g)].map(
    (match) => match.groups?.["id"] ?? "",
  );

describe("ids of calls in the history", () => {
  it.each(rules)("fit %s in %s (%s), the same for the call and its result", (id, dialect, model, longest) => {
    const provider = [...openProviders().values()].find((each) => each.id === id);
    const call = { model, stream: false, dialect, other: "", plugin: {} };
    const send = (callId: string) =>
      idsIn(provider?.adjustRequest?.(histories[dialect]?.(callId) ?? {}, call) ?? {});
    const [first = "", second] = send(long);
    expect(first).toBe(second);
    expect(first.length).toBeLessThanOrEqual(longest);
    expect(send(`${long}y`)[0]).not.toBe(first);
  });

  it("keep to the characters that Claude accepts", () => {
    const provider = [...openProviders().values()].find((each) => each.id === "anthropic");
    const call = {
      model: "claude-sonnet-4-5",
      stream: false,
      dialect: "anthropic" as const,
      other: "",
      plugin: {},
    };
    const body = histories["anthropic"]?.("functions.f:0") ?? {};
    const ids = idsIn(provider?.adjustRequest?.(body, call) ?? {});
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^[\w-]+$/);
  });
});
