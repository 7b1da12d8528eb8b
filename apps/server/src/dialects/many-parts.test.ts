import { describe, expect, it } from "vitest";
import { nightly } from "#test/nightly.ts";
import { dialects } from "./index.ts";
import type { DialectId } from "./ir.ts";

/** More items than a function can have arguments. */
const count = 150_000;
const many = <Item>(item: Item) => Array.from({ length: count }, () => item);
const text = { type: "text", text: "a" };
const user = { role: "user", content: "a" };
const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
const ids = Object.keys(dialects) as DialectId[];

const requests: [string, DialectId, object][] = [
  ["parts of messages", "openai-chat", { messages: [{ role: "user", content: many(text) }, user] }],
  ["parts of instructions", "openai-chat", { messages: [{ role: "system", content: many(text) }, user] }],
  ["tool calls", "openai-chat", { messages: [user, { role: "assistant", tool_calls: many(call) }] }],
  ["parts of a response", "openai-chat", { messages: [user, { role: "assistant", content: many(text) }] }],
  ["items", "openai-responses", { input: many(user) }],
  ["blocks", "anthropic", { max_tokens: 9, messages: [{ role: "user", content: many(text) }] }],
  ["contents", "gemini", { contents: many({ role: "user", parts: [{ text: "a" }] }) }],
];

describe("a request with very many items", () => {
  for (const [index, [title, from, body]] of requests.entries())
    for (const to of ids)
      it(
        `is translated from ${from} to ${to}: ${title}`,
        // Every request, and every dialect.
        nightly(index > 0 && to !== from),
        () => {
          const request = dialects[from].decodeRequest({ model: "m", ...body }, { model: "m" });
          expect(() => dialects[to].encodeRequest(request)).not.toThrow();
        },
      );
});
