import { describe, expect, it } from "vitest";
import type { Wire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { ChatEvent, ChatResponse } from "#dialects/ir.ts";

/** A chat client's plain text tools, at providers with and without such tools. */
const chat = dialects["openai-chat"];
const patch = {
  type: "custom",
  custom: {
    name: "patch",
    description: "Edits a file.",
    format: { type: "grammar", grammar: { syntax: "lark", definition: "start: /.+/" } },
  },
};
const body = {
  model: "m",
  messages: [
    { role: "user", content: "Edit." },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_1", type: "custom", custom: { name: "patch", input: 'say "a"' } }],
    },
    { role: "tool", tool_call_id: "call_1", content: "Done." },
    { role: "user", content: "Again." },
  ],
  tools: [patch],
  tool_choice: { type: "custom", custom: { name: "patch" } },
};
const request = chat.decodeRequest(body, {});
const json = (value: unknown) => JSON.stringify(value);

describe("a plain text tool", () => {
  it("stays unchanged on the Responses API", () => {
    const wire = dialects["openai-responses"].encodeRequest(request).body;
    expect(wire["tools"]).toEqual([
      {
        type: "custom",
        name: "patch",
        description: "Edits a file.",
        format: { type: "grammar", syntax: "lark", definition: "start: /.+/" },
      },
    ]);
    expect(wire["tool_choice"]).toEqual({ type: "custom", name: "patch" });
    expect(json(wire["input"])).toContain(json({ name: "patch", input: 'say "a"' }).slice(1, -1));
    expect(json(wire["input"])).toContain("custom_tool_call_output");
  });

  it.each(["openai-chat", "anthropic", "gemini"] as const)("is a function with one string for %s", (id) => {
    const { body: wire, dropped } = dialects[id].encodeRequest({ ...request, maxOutputTokens: 9 });
    expect(dropped).toEqual([]);
    const again = dialects[id].decodeRequest(wire, { model: "m" });
    expect(again.tools?.[0]).toMatchObject({ name: "patch", schema: { required: ["input"] } });
    expect(again.tools?.[0]?.description).toContain("lark");
    expect(again.toolChoice).toEqual({ type: "tool", name: "patch" });
    const calls = again.messages.flatMap(({ parts }) => parts).filter((part) => part.type === "tool-call");
    expect(calls.map((call) => JSON.parse(call.input) as unknown)).toEqual([{ input: 'say "a"' }]);
  });

  it("is called with plain text, complete and streamed", () => {
    const input = json({ input: 'say "b"' });
    const call = { type: "tool-call" as const, id: "call_2", name: "patch", input };
    const response: ChatResponse = {
      id: "r",
      model: "m",
      choices: [{ index: 0, parts: [call], finish: "tool-calls" }],
    };
    const [choice] = chat.encodeResponse(response, request)["choices"] as { message: Wire }[];
    expect(choice?.message["tool_calls"]).toEqual([
      { id: "call_2", type: "custom", custom: { name: "patch", input: 'say "b"' } },
    ]);
    const events: ChatEvent[] = [
      { type: "start", id: "r", model: "m" },
      { type: "tool-call", choice: 0, part: 0, id: "call_2", name: "patch" },
      { type: "tool-input", choice: 0, part: 0, text: input.slice(0, 7) },
      { type: "tool-input", choice: 0, part: 0, text: input.slice(7) },
      { type: "stop", choice: 0, reason: "tool-calls" },
      { type: "finish" },
    ];
    const encode = chat.encodeStream({ ...request, stream: true });
    const text = events.map((event) => encode(event).text).join("");
    const deltas = [...text.matchAll(/^data: (\{.*)$/gm)].flatMap(([, data]) => {
      const [first] = (JSON.parse(data ?? "") as { choices: { delta: { tool_calls?: Wire[] } }[] }).choices;
      return first?.delta.tool_calls ?? [];
    });
    expect(deltas).toEqual([
      { index: 0, id: "call_2", type: "custom", custom: { name: "patch", input: "" } },
      { index: 0, custom: { input: 'say "b"' } },
    ]);
    expect(text.indexOf('say \\"b\\"')).toBeLessThan(text.indexOf('"finish_reason":"tool_calls"'));
  });

  it("keeps its input unchanged when called by a provider that has such tools", () => {
    const item = { id: "ctc_1", type: "custom_tool_call", call_id: "call_3", name: "patch", input: "a\nb" };
    const responses = dialects["openai-responses"];
    const whole = { id: "resp_1", model: "m", status: "completed", output: [item] };
    const [choice] = chat.encodeResponse(responses.decodeResponse(whole), request)["choices"] as {
      message: Wire;
      finish_reason: string;
    }[];
    const custom = { name: "patch", input: "a\nb" };
    expect(choice?.message["tool_calls"]).toEqual([{ id: "call_3", type: "custom", custom }]);
    expect(choice?.finish_reason).toBe("tool_calls");
    const decoder = responses.decodeStream();
    const frames = [
      { type: "response.created", response: { ...whole, output: [] } },
      { type: "response.output_item.added", output_index: 0, item: { ...item, input: "" } },
      { type: "response.custom_tool_call_input.delta", output_index: 0, delta: "a\n" },
      { type: "response.custom_tool_call_input.delta", output_index: 0, delta: "b" },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: whole },
    ];
    const encode = chat.encodeStream({ ...request, stream: true });
    const events = frames.flatMap((frame) => decoder.frame({ event: frame.type, data: json(frame) }));
    const text = [...events, ...decoder.end()].map((event) => encode(event).text).join("");
    expect(text).toContain(json({ index: 0, custom: { input: "a\nb" } }));
    expect(text).toContain('"finish_reason":"tool_calls"');
  });

  it("is rejected with its path when it has no name, or is called without one", () => {
    const tools = [{ type: "custom", custom: {} }];
    expect(() => chat.decodeRequest({ ...body, tools }, {})).toThrow("tools.0.custom.name");
    const tool_calls = [{ id: "c", type: "custom", custom: { name: "patch" } }];
    const messages = [{ role: "assistant", tool_calls }];
    expect(() => chat.decodeRequest({ ...body, messages }, {})).toThrow(
      "messages.0.tool_calls.0.custom.input",
    );
  });
});
