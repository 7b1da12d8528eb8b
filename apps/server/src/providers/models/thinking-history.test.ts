import { describe, expect, it } from "vitest";
import type { Wire } from "#dialects/dialect.ts";
import type { DialectId } from "#dialects/ir.ts";
import { openProviders } from "#providers/registry.ts";

const providers = [...openProviders().values()];

function adjusted(id: string, model: string, dialect: DialectId, body: Wire): Wire {
  const provider = providers.find((each) => each.id === id);
  const call = { model, stream: false, dialect, other: "", plugin: {} };
  return provider?.adjustRequest?.({ model, ...body }, call) ?? body;
}

const thinkers = [
  ["deepseek", "deepseek-v4-flash"],
  ["moonshot", "kimi-k3"],
  ["xiaomi", "mimo-v2.6-pro"],
] as const;

const calls = [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }];
const use = { type: "tool_use", id: "c1", name: "f", input: {} };

describe("thinking that the history lacks", () => {
  it.each(thinkers)("is filled in beside calls for %s in Chat", (id, model) => {
    const sent = (message: Wire) =>
      adjusted(id, model, "openai-chat", {
        messages: [{ role: "assistant", tool_calls: calls, ...message }],
      })["messages"] as Wire[];
    expect(sent({})[0]?.["reasoning_content"]).toBe(" ");
    expect(sent({ reasoning_content: null })[0]?.["reasoning_content"]).toBe(" ");
    expect(sent({ reasoning: "Hm." })[0]?.["reasoning_content"]).toBe("Hm.");
    expect(
      sent({ reasoning_details: [{ type: "reasoning.text", text: "Hm." }] })[0]?.["reasoning_content"],
    ).toBe("Hm.");
    expect(sent({ reasoning_content: "Yes." })[0]?.["reasoning_content"]).toBe("Yes.");
  });

  it.each(thinkers)("is filled in before calls for %s in Messages, unless thinking is off", (id, model) => {
    const messages = [{ role: "assistant", content: [use] }];
    const sent = adjusted(id, model, "anthropic", { messages })["messages"] as Wire[];
    expect(sent[0]?.["content"]).toEqual([{ type: "thinking", thinking: " ", signature: "" }, use]);
    const off = adjusted(id, model, "anthropic", { messages, thinking: { type: "disabled" } });
    expect(off["messages"]).toBe(messages);
  });

  it.each(thinkers)("is not filled in where %s was not calling", (id, model) => {
    const messages = [{ role: "assistant", content: "Hi" }];
    expect(adjusted(id, model, "openai-chat", { messages })["messages"]).toBe(messages);
  });
});

const forced: Array<[DialectId, unknown]> = [
  ["openai-chat", "required"],
  ["openai-chat", { type: "function", function: { name: "f" } }],
  ["anthropic", { type: "any" }],
  ["anthropic", { type: "tool", name: "f" }],
];

describe("a forced tool at a model that thinks by default", () => {
  it.each(forced)("switches thinking off at DeepSeek (%s, %o)", (dialect, choice) => {
    const body = adjusted("deepseek", "deepseek-v4-pro", dialect, { messages: [], tool_choice: choice });
    expect(body).toMatchObject({ thinking: { type: "disabled" }, tool_choice: choice });
  });

  it.each(forced)("is left to the model when the caller asks for thinking (%s, %o)", (dialect, choice) => {
    const thinking = { type: "enabled" };
    const body = adjusted("deepseek", "deepseek-v4-pro", dialect, {
      messages: [],
      tool_choice: choice,
      thinking,
    });
    expect(body["tool_choice"]).toEqual(dialect === "anthropic" ? { type: "auto" } : "auto");
    expect(body["thinking"]).toEqual(thinking);
  });

  it.each(["auto", "none", undefined])("leaves the choice %s as it is", (choice) => {
    const body = { model: "deepseek-v4-pro", messages: [], ...(choice && { tool_choice: choice }) };
    expect(adjusted("deepseek", "deepseek-v4-pro", "openai-chat", body)).toEqual(body);
  });

  it("is left to the model at Qwen while it thinks", () => {
    const body = { messages: [], tool_choice: "required" };
    expect(
      adjusted("ali", "qwen-plus", "openai-chat", { ...body, enable_thinking: true })["tool_choice"],
    ).toBe("auto");
    expect(adjusted("ali", "qwen3-235b-thinking", "openai-chat", body)["tool_choice"]).toBe("auto");
    expect(adjusted("ali", "qwen-plus", "openai-chat", body)["tool_choice"]).toBe("required");
  });

  it.each([
    ["glm-4-flash", "auto"],
    ["glm-4-alltools", "auto"],
    ["glm-4.5", "required"],
    ["glm-4.7", "required"],
    ["glm-5.3", "required"],
  ])("is %s at Zhipu: %s", (model, choice) => {
    const body = adjusted("zhipu", model, "openai-chat", { messages: [], tool_choice: "required" });
    expect(body["tool_choice"]).toBe(choice);
  });
});
