import { describe, expect, it } from "vitest";
import { dialects } from "#dialects/index.ts";
import type { ChatResponse } from "#dialects/ir.ts";
import { eventsOf } from "#dialects/stream/answer-events.ts";
import { createFrameSplitter } from "#dialects/stream/sse.ts";

/** Clients that still send `functions`, at providers that support only tools. */
const chat = dialects["openai-chat"];
const functions = [{ name: "look", parameters: { type: "object", properties: {} } }];
const body = { model: "m", messages: [{ role: "user", content: "Look." }], functions };
const old = chat.decodeRequest(body, {});
const modern = chat.decodeRequest({ ...body, tools: [{ type: "function", function: functions[0] }] }, {});

const answer: ChatResponse = {
  id: "1",
  model: "m",
  choices: [
    {
      index: 0,
      parts: [
        { type: "text", text: "Well." },
        { type: "tool-call", id: "toolu_1", name: "look", input: '{"at":"sea"}' },
        { type: "tool-call", id: "toolu_2", name: "look", input: '{"at":"land"}' },
      ],
      finish: "tool-calls",
    },
  ],
  usage: { input: 3, output: 2 },
};

interface Reported {
  choices: {
    message?: object;
    delta?: { content?: string; tool_calls?: object; function_call?: { name?: string; arguments?: string } };
    finish_reason: string | null;
  }[];
}

function stream(request: typeof old): Reported[] {
  const encode = chat.encodeStream(request);
  const text = eventsOf(answer)
    .map((event) => encode(event).text)
    .join("");
  return createFrameSplitter()
    .push(Buffer.from(text))
    .filter(({ frame }) => frame.data !== "[DONE]")
    .map(({ frame }) => JSON.parse(frame.data) as Reported);
}

describe("a call for a client that sent functions", () => {
  it("is in `function_call`, one at a time: the next follows after its result", () => {
    const { choices } = chat.encodeResponse(answer, old) as unknown as Reported;
    expect(choices[0]).toMatchObject({
      message: { content: "Well.", function_call: { name: "look", arguments: '{"at":"sea"}' } },
      finish_reason: "function_call",
    });
    expect(choices[0]?.message).not.toHaveProperty("tool_calls");
  });

  it("is streamed in the same form", () => {
    const reported = stream(old).flatMap(({ choices }) => choices);
    const calls = reported.flatMap(({ delta }) => delta?.function_call ?? []);
    expect(calls[0]?.name).toBe("look");
    expect(calls.slice(1).every(({ name }) => name === undefined)).toBe(true);
    expect(calls.map((call) => call.arguments ?? "").join("")).toBe('{"at":"sea"}');
    expect(reported.some(({ delta }) => delta?.tool_calls !== undefined)).toBe(false);
    expect(reported.at(-1)?.finish_reason).toBe("function_call");
  });

  it("is a tool call for clients that sent tools", () => {
    const { choices } = chat.encodeResponse(answer, modern) as unknown as Reported;
    expect(choices[0]).toMatchObject({
      message: { tool_calls: [{ id: "toolu_1" }, { id: "toolu_2" }] },
      finish_reason: "tool_calls",
    });
    expect(choices[0]?.message).not.toHaveProperty("function_call");
    expect(stream(modern).at(-1)?.choices[0]?.finish_reason).toBe("tool_calls");
  });
});

it("distinguishes repeated calls of one function when they are sent back", () => {
  const call = (at: string) => ({
    role: "assistant",
    content: null,
    function_call: { name: "look", arguments: JSON.stringify({ at }) },
  });
  const result = (content: string) => ({ role: "function", name: "look", content });
  const messages = [...body.messages, call("sea"), result("waves"), call("land"), result("trees")];
  const { body: sent } = dialects.anthropic.encodeRequest(chat.decodeRequest({ ...body, messages }, {}));
  const blocks = (sent["messages"] as { content: { id?: string; tool_use_id?: string }[] | string }[])
    .flatMap(({ content }) => (typeof content === "string" ? [] : content))
    .flatMap(({ id, tool_use_id }) => id ?? tool_use_id ?? []);
  expect(blocks).toHaveLength(4);
  expect(blocks[0]).toBe(blocks[1]);
  expect(blocks[2]).toBe(blocks[3]);
  expect(blocks[0]).not.toBe(blocks[2]);
});
