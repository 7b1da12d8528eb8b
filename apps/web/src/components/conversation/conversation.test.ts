import { describe, expect, it } from "vitest";
import { toPlaygroundDraft, readConversation } from "./conversation.ts";
import { curlOf } from "./curl.ts";

const read = (request: unknown, response: unknown = "") =>
  readConversation(
    JSON.stringify(request),
    typeof response === "string" ? response : JSON.stringify(response),
  );
const stream = (...events: unknown[]) =>
  `${events.map((event) => `event: e\ndata: ${JSON.stringify(event)}`).join("\n\n")}\n\n`;
const plain = (text: string) => ({ type: "text", text });
const png = "data:image/png;base64,AAAA";

describe("a conversation", () => {
  it("of Chat Completions has roles, images, tools and their results", () => {
    const request = {
      messages: [
        { role: "developer", content: "Be short." },
        { role: "user", content: [plain("Look"), { type: "image_url", image_url: { url: png } }] },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "c", function: { name: "find", arguments: '{"q":1}' } }],
        },
        { role: "tool", tool_call_id: "c", content: "found" },
      ],
    };
    const answer = {
      choices: [{ message: { role: "assistant", reasoning_content: "Hm", content: "A cat" } }],
    };
    expect(read(request, answer)).toEqual({
      messages: [
        { role: "system", parts: [plain("Be short.")] },
        { role: "user", parts: [plain("Look"), { type: "image", url: png }] },
        { role: "assistant", parts: [{ type: "tool-call", name: "find", input: '{\n  "q": 1\n}' }] },
        { role: "tool", parts: [{ type: "tool-result", name: "c", text: "found" }] },
      ],
      answer: [{ role: "assistant", parts: [{ type: "reasoning", text: "Hm" }, plain("A cat")] }],
    });
  });

  it("of Chat Completions is parsed from its stream, even when truncated", () => {
    const delta = (value: object) => ({ choices: [{ index: 0, delta: value }] });
    const events = stream(
      delta({ role: "assistant", content: "" }),
      delta({ content: "Hel" }),
      delta({ content: "lo" }),
      delta({ tool_calls: [{ index: 0, function: { name: "f", arguments: '{"a"' } }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: ":2}" } }] }),
    );
    const parts = [plain("Hello"), { type: "tool-call", name: "f", input: '{\n  "a": 2\n}' }];
    const request = { messages: [{ role: "user", content: "hi" }] };
    expect(read(request, `${events}data: [DONE]\n\n`)?.answer).toEqual([{ role: "assistant", parts }]);
    expect(read(request, `${events}data: {"choices":[{"del`)?.answer).toEqual([{ role: "assistant", parts }]);
  });

  it("of Anthropic has a system prompt, thinking and tool results, complete and streamed", () => {
    const request = {
      system: [plain("Be kind.")],
      messages: [
        { role: "user", content: "hi" },
        { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: { a: 1 } }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: [plain("ok")] }] },
      ],
    };
    const answer = stream(
      { type: "message_start", message: {} },
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "So" } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Yes" } },
      { type: "content_block_start", index: 2, content_block: { type: "tool_use", name: "g", input: {} } },
      { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: "{}" } },
    );
    expect(read(request, answer)).toEqual({
      messages: [
        { role: "system", parts: [plain("Be kind.")] },
        { role: "user", parts: [plain("hi")] },
        { role: "assistant", parts: [{ type: "tool-call", name: "f", input: '{\n  "a": 1\n}' }] },
        { role: "tool", parts: [{ type: "tool-result", name: "t", text: "ok" }] },
      ],
      answer: [
        {
          role: "assistant",
          parts: [
            { type: "reasoning", text: "So" },
            plain("Yes"),
            { type: "tool-call", name: "g", input: "{}" },
          ],
        },
      ],
    });
    const whole = { type: "message", role: "assistant", content: [plain("Yes")] };
    expect(read(request, whole)?.answer).toEqual([{ role: "assistant", parts: [plain("Yes")] }]);
  });

  it("of Responses has items, and its stream ends with all of them", () => {
    const request = {
      instructions: "Be brief.",
      input: [
        { role: "user", content: [{ type: "input_text", text: "hi" }] },
        { type: "function_call_output", call_id: "c", output: "42" },
      ],
    };
    const output = [
      { type: "reasoning", summary: [{ type: "summary_text", text: "Hm" }] },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello" }] },
    ];
    const expected = [{ role: "assistant", parts: [{ type: "reasoning", text: "Hm" }, plain("Hello")] }];
    const deltas = [
      { type: "response.reasoning_summary_text.delta", output_index: 0, delta: "Hm" },
      { type: "response.output_text.delta", output_index: 1, delta: "Hello" },
    ];
    expect(read(request, { object: "response", output })?.answer).toEqual(expected);
    expect(read(request, stream({ type: "response.completed", response: { output } }))?.answer).toEqual(
      expected,
    );
    expect(read(request, stream(...deltas))?.answer).toEqual(expected);
    expect(read(request)?.messages.map(({ role }) => role)).toEqual(["system", "user", "tool"]);
  });

  it("of Gemini has thoughts, data and calls, as events and as an array", () => {
    const request = {
      systemInstruction: { parts: [{ text: "Be." }] },
      contents: [
        { role: "user", parts: [{ text: "hi" }, { inlineData: { mimeType: "image/png", data: "AAAA" } }] },
      ],
    };
    const chunk = (...parts: object[]) => ({ candidates: [{ content: { role: "model", parts } }] });
    const chunks = [chunk({ text: "Hm", thought: true }), chunk({ text: "He" }), chunk({ text: "llo" })];
    const expected = [{ role: "assistant", parts: [{ type: "reasoning", text: "Hm" }, plain("Hello")] }];
    expect(read(request, stream(...chunks))?.answer).toEqual(expected);
    expect(read(request, chunks)?.answer).toEqual(expected);
    expect(read(request, chunk({ functionCall: { name: "f", args: {} } }))?.answer[0]?.parts).toEqual([
      { type: "tool-call", name: "f", input: "{}" },
    ]);
    expect(read(request)?.messages[1]?.parts[1]).toEqual({ type: "image", url: png });
  });

  it("shows a returned error, and is null when the request is not a conversation", () => {
    const request = { messages: [{ role: "user", content: "hi" }] };
    const answer = [{ role: "assistant", parts: [{ type: "error", text: "No." }] }];
    expect(read(request, { error: { message: "No." } })?.answer).toEqual(answer);
    expect(read(request, stream({ type: "error", error: { message: "No." } }))?.answer).toEqual(answer);
    expect(read(request, "nothing")?.answer).toEqual([]);
    for (const body of [{}, [], 1, null, { messages: 4 }, { prompt: "x" }, { input: [1] }])
      expect(read(body)).toBeNull();
    expect(readConversation('{"messages":[{"role":"us', "")).toBeNull();
    for (const odd of [
      { messages: [null, 3, { content: 7 }, {}] },
      { contents: [null] },
      { input: [{}, { type: 5 }] },
    ])
      expect(read(odd, { choices: [null], output: 3 })).not.toBeNull();
  });
});

describe("the draft for the playground", () => {
  const draft = (messages: object[]) => {
    const conversation = read({ messages });
    return conversation && toPlaygroundDraft(conversation, "m");
  };

  it("contains the questions with their answers, the last one open", () => {
    const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } };
    expect(
      draft([
        { role: "system", content: "S" },
        { role: "user", content: "1" },
        { role: "assistant", content: "one" },
        { role: "user", content: [plain("2"), image, { type: "image_url", image_url: { url: png } }] },
      ]),
    ).toEqual({
      model: "m",
      system: "S",
      turns: [
        { text: "1", images: [], answer: "one" },
        { text: "2", images: [png], answer: "" },
      ],
    });
  });

  it("is null when no question is open", () => {
    expect(
      draft([
        { role: "user", content: "1" },
        { role: "assistant", content: "one" },
      ]),
    ).toBeNull();
    expect(draft([{ role: "system", content: "1" }])).toBeNull();
  });
});

it("a command contains the body with any quotes, and no key", () => {
  const command = curlOf({
    server: "https://example.com",
    endpoint: "/v1beta/models/:generateContent",
    model: "a/b",
    body: `{"text":"it's $HOME"}`,
  });
  expect(command).toBe(
    [
      `curl 'https://example.com/v1beta/models/a%2Fb:generateContent' \\`,
      `  -H "Authorization: Bearer $API_KEY" \\`,
      `  -H 'Content-Type: application/json' \\`,
      `  -d '{"text":"it'\\''s $HOME"}'`,
    ].join("\n"),
  );
});
