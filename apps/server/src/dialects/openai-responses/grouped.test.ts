import { describe, expect, it } from "vitest";
import { dialects } from "#dialects/index.ts";
import type { ChatEvent } from "#dialects/ir.ts";

const { "openai-responses": responses, "openai-chat": chat, anthropic } = dialects;

const parameters = { type: "object", properties: { seconds: { type: "number" } } };
const sleep = { type: "function", name: "sleep", description: "Waits.", parameters, strict: false };
const exec = { type: "custom", name: "exec", description: "Runs." };
const groups = [
  { type: "namespace", name: "functions", description: "", tools: [exec] },
  { type: "namespace", name: "clock", description: "Time.", tools: [sleep] },
];
const request = responses.decodeRequest(
  {
    model: "m",
    input: [
      { type: "additional_tools", role: "developer", tools: groups },
      { type: "message", role: "user", content: "Wait." },
      { type: "function_call", call_id: "c1", namespace: "clock", name: "sleep", arguments: '{"seconds":1}' },
      { type: "function_call_output", call_id: "c1", output: "done" },
    ],
  },
  {},
);

describe("tools in groups, offered within the input", () => {
  it("have one flat name in other dialects, in tools and history", () => {
    const { body, dropped } = chat.encodeRequest(request);
    expect(dropped).toEqual([]);
    expect(body).toMatchObject({
      tools: [{ function: { name: "exec" } }, { function: { name: "clock__sleep", parameters } }],
      messages: [
        { role: "user" },
        { tool_calls: [{ function: { name: "clock__sleep" } }] },
        { role: "tool" },
      ],
    });
    expect(anthropic.encodeRequest(request).body).toMatchObject({
      tools: [{ name: "exec" }, { name: "clock__sleep" }],
    });
  });

  it("are unchanged in their own dialect", () => {
    const { body } = responses.encodeRequest(request);
    expect(body["tools"]).toEqual(groups);
    expect(body["input"]).toMatchObject([{}, { namespace: "clock", name: "sleep" }, {}]);
  });

  it("are called by group and name, in complete responses and in streams", () => {
    const call = { id: "c2", type: "function", function: { name: "clock__sleep", arguments: "{}" } };
    const answer = chat.decodeResponse({
      id: "x",
      model: "m",
      choices: [
        { index: 0, finish_reason: "tool_calls", message: { role: "assistant", tool_calls: [call] } },
      ],
    });
    const item = { type: "function_call", call_id: "c2", namespace: "clock", name: "sleep", arguments: "{}" };
    expect(responses.encodeResponse(answer, request)["output"]).toMatchObject([item]);
    const encode = responses.encodeStream(request);
    const events: ChatEvent[] = [
      { type: "start", id: "x", model: "m" },
      { type: "tool-call", choice: 0, part: 0, id: "c2", name: "clock__sleep" },
      { type: "tool-input", choice: 0, part: 0, text: "{}" },
      { type: "tool-call", choice: 0, part: 1, id: "c3", name: "exec" },
      { type: "tool-input", choice: 0, part: 1, text: '{"input":"1 + 1"}' },
      { type: "stop", choice: 0, reason: "tool-calls" },
      { type: "finish" },
    ];
    const frames = events
      .map((event) => encode(event).text)
      .join("")
      .matchAll(/^data: (.*)$/gm);
    const wire = [...frames].map(([, data]) => JSON.parse(data!) as { type: string; item?: unknown });
    const run = { type: "custom_tool_call", call_id: "c3", namespace: "functions", name: "exec" };
    const added = wire.filter(({ type }) => type === "response.output_item.added");
    expect(added.map((event) => event.item)).toMatchObject([
      { ...item, arguments: "" },
      { ...run, input: "" },
    ]);
    expect(wire.at(-1)).toMatchObject({ response: { output: [item, { ...run, input: "1 + 1" }] } });
  });

  it("must be a list; otherwise the error contains the path", () => {
    const body = { model: "m", input: [{ type: "additional_tools", role: "developer", tools: "none" }] };
    expect(() => responses.decodeRequest(body, {})).toThrow("input.0.tools");
  });
});
