import { describe, expect, it } from "vitest";
import { dialects } from "./index.ts";
import type { DialectId } from "./ir.ts";

/** More items than a function can have arguments. */
const count = 150_000;
const many = <Item>(item: Item) => Array.from({ length: count }, () => item);
const text = { type: "text", text: "a" };
const user = { role: "user", content: "a" };
const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
const ids = Object.keys(dialects) as DialectId[];

describe("a request with very many items", () => {
  it.each<[string, DialectId, object]>([
    ["parts of messages", "openai-chat", { messages: [{ role: "user", content: many(text) }, user] }],
    ["parts of instructions", "openai-chat", { messages: [{ role: "system", content: many(text) }, user] }],
    ["tool calls", "openai-chat", { messages: [user, { role: "assistant", tool_calls: many(call) }] }],
    ["parts of a response", "openai-chat", { messages: [user, { role: "assistant", content: many(text) }] }],
    ["items", "openai-responses", { input: many(user) }],
    ["blocks", "anthropic", { max_tokens: 9, messages: [{ role: "user", content: many(text) }] }],
    ["contents", "gemini", { contents: many({ role: "user", parts: [{ text: "a" }] }) }],
  ])("is translated to every dialect: %s", (_name, id, body) => {
    const request = dialects[id].decodeRequest({ model: "m", ...body }, { model: "m" });
    for (const to of ids) expect(() => dialects[to].encodeRequest(request)).not.toThrow();
  });
});
