import { describe, expect, it } from "vitest";
import type { Wire } from "#dialects/dialect.ts";
import { withFallbackParts } from "#dialects/fallback-parts.ts";
import { dialects } from "#dialects/index.ts";
import type { ChatEvent } from "#dialects/ir.ts";

const responses = dialects["openai-responses"];
const others = ["openai-chat", "anthropic", "gemini"] as const;

const searchTool = {
  type: "tool_search",
  execution: "client",
  description: "find",
  parameters: { type: "object", properties: { query: { type: "string" } } },
};
const found = { type: "function", name: "cal_create", description: "make", parameters: { type: "object" } };
const body: Wire = {
  model: "m",
  tools: [searchTool],
  input: [
    { role: "user", content: "hi" },
    {
      type: "tool_search_call",
      call_id: "ts1",
      status: "completed",
      execution: "client",
      arguments: { query: "cal" },
    },
    { type: "tool_search_output", call_id: "ts1", status: "completed", execution: "client", tools: [found] },
    { role: "user", content: "go" },
  ],
};

describe("the client's own search for tools", () => {
  it.each(others)("stays callable at a provider of %s, with what it found", (id) => {
    const request = withFallbackParts(responses.decodeRequest(body, {}), id);
    const { body: sent, dropped } = dialects[id].encodeRequest(request);
    expect(dropped).toEqual([]);
    const text = JSON.stringify(sent);
    for (const part of ['"tool_search"', '"cal_create"', '{"query":"cal"}', "cal_create: make"])
      expect(text.replaceAll("\\", "")).toContain(part);
  });

  it("returns to the client in its own form", () => {
    const request = responses.decodeRequest(body, {});
    const answer = dialects["openai-chat"].decodeResponse({
      id: "1",
      choices: [
        {
          finish_reason: "tool_calls",
          message: {
            tool_calls: [
              { id: "c9", type: "function", function: { name: "tool_search", arguments: '{"query":"x"}' } },
            ],
          },
        },
      ],
    });
    const item = { type: "tool_search_call", call_id: "c9", execution: "client", arguments: { query: "x" } };
    expect(responses.encodeResponse(answer, request)["output"]).toMatchObject([item]);
    const encode = responses.encodeStream({ ...request, stream: true });
    const events: ChatEvent[] = [
      { type: "start", id: "1", model: "m" },
      { type: "tool-call", choice: 0, part: 0, id: "c9", name: "tool_search" },
      { type: "tool-input", choice: 0, part: 0, text: '{"query":"x"}' },
      { type: "stop", choice: 0, reason: "tool-calls" },
      { type: "finish" },
    ];
    const text = events.map((event) => encode(event).text).join("");
    expect(text).not.toContain("function_call_arguments");
    const last = text.split("\n").findLast((line) => line.startsWith("data:")) ?? "";
    expect((JSON.parse(last.slice(5)) as { response: Wire }).response["output"]).toMatchObject([item]);
  });

  it("is the same in a request to its own dialect", () => {
    const { body: sent } = responses.encodeRequest(responses.decodeRequest(body, {}));
    expect(sent["tools"]).toEqual([searchTool]);
    expect(sent["input"]).toMatchObject([
      { role: "user" },
      { type: "tool_search_call", call_id: "ts1", execution: "client", arguments: { query: "cal" } },
      { type: "tool_search_output", call_id: "ts1", tools: [found] },
      { role: "user" },
    ]);
  });

  it("offers a found tool once", () => {
    const request = responses.decodeRequest({ ...body, tools: [searchTool, found] }, {});
    expect(request.tools?.map(({ name }) => name)).toEqual(["tool_search", "cal_create"]);
  });
});

describe("a tool that a client of Messages found", () => {
  it.each(["openai-chat", "openai-responses", "gemini"] as const)("is named in the result for %s", (id) => {
    const request = dialects.anthropic.decodeRequest(
      {
        model: "m",
        max_tokens: 9,
        tools: [{ name: "f", input_schema: { type: "object" }, defer_loading: true }],
        messages: [
          { role: "user", content: "x" },
          { role: "assistant", content: [{ type: "tool_use", id: "t", name: "search", input: {} }] },
          {
            role: "user",
            content: [
              {
                type: "tool_result",
                tool_use_id: "t",
                content: [{ type: "tool_reference", tool_name: "f" }],
              },
            ],
          },
        ],
      },
      {},
    );
    const { body: sent, dropped } = dialects[id].encodeRequest(withFallbackParts(request, id));
    expect(dropped).toEqual([]);
    expect(JSON.stringify(sent)).toContain("can be called now: f");
    expect(JSON.stringify(sent["tools"])).toContain('"name":"f"');
  });
});
