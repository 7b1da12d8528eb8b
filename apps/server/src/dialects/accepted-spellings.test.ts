import { describe, expect, it } from "vitest";
import type { Wire } from "./dialect.ts";
import { dialects } from "./index.ts";
import type { ChatRequest, DialectId } from "./ir.ts";

/** Undocumented spellings that providers accept; they are decoded like the documented ones. */
const user = { role: "user", content: "Hi" };
const chat = (fields: Wire): Wire => ({ model: "m", messages: [user], ...fields });
const call = { id: "c", type: "function", function: { name: "f", arguments: '{"a":1}' } };
const answered = (tool: Wire) =>
  chat({ messages: [user, { role: "assistant", content: null, tool_calls: [tool] }] });
const picture = (image: unknown) =>
  chat({ messages: [{ role: "user", content: [{ type: "image_url", image_url: image }] }] });
const tool = { function: { name: "f", parameters: { type: "object" } } };
const contents = [{ role: "user", parts: [{ text: "Hi" }] }];
const item = { type: "function_call", call_id: "c", name: "f", arguments: '{"a":1}' };

describe("a request in another spelling", () => {
  it.each<[string, DialectId, Wire, Wire]>([
    [
      "a tool without a type",
      "openai-chat",
      chat({ tools: [tool] }),
      chat({ tools: [{ type: "function", ...tool }] }),
    ],
    [
      "a tool whose type is null",
      "openai-chat",
      chat({ tools: [{ type: null, ...tool }] }),
      chat({ tools: [{ type: "function", ...tool }] }),
    ],
    [
      "a picture as its address",
      "openai-chat",
      picture("https://example.com/a.png"),
      picture({ url: "https://example.com/a.png" }),
    ],
    [
      "a picture as its data",
      "openai-chat",
      picture("data:image/png;base64,AA=="),
      picture({ url: "data:image/png;base64,AA==" }),
    ],
    [
      "a tool choice without a type",
      "openai-chat",
      chat({ tools: [tool], tool_choice: { function: { name: "f" } } }),
      chat({ tools: [tool], tool_choice: { type: "function", function: { name: "f" } } }),
    ],
    [
      "arguments as an object",
      "openai-chat",
      answered({ ...call, function: { name: "f", arguments: { a: 1 } } }),
      answered(call),
    ],
    [
      "a result without content",
      "openai-chat",
      chat({ messages: [user, { role: "tool", tool_call_id: "c", content: null }] }),
      chat({ messages: [user, { role: "tool", tool_call_id: "c", content: [] }] }),
    ],
    ["a call without a type", "openai-chat", answered({ id: "c", function: call.function }), answered(call)],
    [
      "a tool without a type",
      "openai-responses",
      { model: "m", input: "Hi", tools: [{ name: "f" }] },
      { model: "m", input: "Hi", tools: [{ type: "function", name: "f" }] },
    ],
    [
      "arguments as an object",
      "openai-responses",
      { model: "m", input: [{ ...item, arguments: { a: 1 } }] },
      { model: "m", input: [item] },
    ],
    [
      "one part of the instruction",
      "gemini",
      { model: "m", contents, systemInstruction: { parts: { text: "Be kind." } } },
      { model: "m", contents, systemInstruction: { parts: [{ text: "Be kind." }] } },
    ],
    ["one content", "gemini", { model: "m", contents: contents[0] }, { model: "m", contents }],
    [
      "one part of a content",
      "gemini",
      { model: "m", contents: { role: "user", parts: { text: "Hi" } } },
      { model: "m", contents },
    ],
    [
      "one object of tools",
      "gemini",
      { model: "m", contents, tools: { functionDeclarations: { name: "f" } } },
      { model: "m", contents, tools: [{ functionDeclarations: [{ name: "f" }] }] },
    ],
    [
      "one server tool",
      "gemini",
      { model: "m", contents, tools: { google_search: {} } },
      { model: "m", contents, tools: [{ google_search: {} }] },
    ],
    [
      "numbers as text",
      "gemini",
      { model: "m", contents, generation_config: { max_output_tokens: "100", temperature: "0.5" } },
      { model: "m", contents, generationConfig: { maxOutputTokens: 100, temperature: 0.5 } },
    ],
  ])("%s (%s)", (_name, id, spelled, documented) => {
    const read = (body: Wire): ChatRequest => {
      const { repeat: _repeat, ...request } = dialects[id].decodeRequest(body, {});
      return request;
    };
    expect(read(spelled)).toEqual(read(documented));
  });
});
