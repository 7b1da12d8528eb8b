import { describe, expect, it } from "vitest";
import { GatewayError } from "#errors.ts";
import type { Dialect, Wire } from "./dialect.ts";
import { dialects } from "./index.ts";
import type { ChatEvent, ChatRequest } from "./ir.ts";
import { emptyTally, hasValue, lastObject, tallyValues } from "./usage/tally.ts";

const { anthropic, gemini } = dialects;
const chat = dialects["openai-chat"];
const responses = dialects["openai-responses"];

const ask = (body: Wire, dialect: Dialect = chat): ChatRequest =>
  dialect.decodeRequest({ model: "m", ...body }, { model: "m" });
const user = (content: unknown) => ({ role: "user", content });
const toClaude = (body: Wire) => anthropic.encodeRequest(ask(body));

function decode(dialect: Dialect, frames: unknown[]): ChatEvent[] {
  const decoder = dialect.decodeStream();
  const data = frames.map((frame) => (typeof frame === "string" ? frame : JSON.stringify(frame)));
  return [...data.flatMap((each) => decoder.frame({ event: undefined, data: each })), ...decoder.end()];
}

const chunk = (delta: Wire, finish: string | null = null, more: Wire = {}) => ({
  id: "c",
  model: "m",
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
});

describe("chat completions to messages", () => {
  it("moves system and developer messages into the system prompt", () => {
    const { body } = toClaude({
      messages: [{ role: "system", content: "One." }, { role: "developer", content: "Two." }, user("Hi")],
    });
    expect(body["system"]).toEqual([
      { type: "text", text: "One." },
      { type: "text", text: "Two." },
    ]);
    expect(body["messages"]).toEqual([user("Hi")]);
  });

  it("sends the system prompt as user message when there is no other message", () => {
    const { body } = toClaude({ messages: [{ role: "system", content: "Tell a joke." }] });
    expect(body["messages"]).toEqual([user("Tell a joke.")]);
    expect(body["system"]).toBeUndefined();
  });

  it("keeps an assistant's text beside its calls and groups all results into one turn, results first", () => {
    const call = (id: string) => ({ id, type: "function", function: { name: "look", arguments: '{"a":1}' } });
    const { body } = toClaude({
      messages: [
        user("Hi"),
        { role: "assistant", content: "Looking.", tool_calls: [call("a"), call("b")] },
        { role: "tool", tool_call_id: "a", content: "1" },
        { role: "tool", tool_call_id: "b", content: "2" },
        user("And?"),
      ],
    });
    expect(body["messages"]).toEqual([
      user("Hi"),
      {
        role: "assistant",
        content: [
          { type: "text", text: "Looking." },
          { type: "tool_use", id: "a", name: "look", input: { a: 1 } },
          { type: "tool_use", id: "b", name: "look", input: { a: 1 } },
        ],
      },
      user([
        { type: "tool_result", tool_use_id: "a", content: "1" },
        { type: "tool_result", tool_use_id: "b", content: "2" },
        { type: "text", text: "And?" },
      ]),
    ]);
  });

  it("merges consecutive messages of one role, because turns must alternate", () => {
    const { body } = toClaude({
      messages: [user("a"), user("b"), { role: "assistant", content: "c" }, user("d")],
    });
    expect((body["messages"] as Wire[]).map((message) => message["role"])).toEqual([
      "user",
      "assistant",
      "user",
    ]);
  });

  it("defines the tools of the history when none are offered any more", () => {
    const call = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
    const { body } = toClaude({
      messages: [
        user("a"),
        { role: "assistant", tool_calls: [call] },
        { role: "tool", tool_call_id: "a", content: "1" },
      ],
    });
    expect(body).toMatchObject({ tools: [{ name: "f" }], tool_choice: { type: "none" } });
  });

  it("keeps explicit 0 and false", () => {
    const { body } = toClaude({
      messages: [user("a")],
      temperature: 0,
      top_p: 0,
      parallel_tool_calls: false,
      tools: [{ type: "function", function: { name: "f", strict: false } }],
    });
    expect(body).toMatchObject({
      temperature: 0,
      top_p: 0,
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
      tools: [{ strict: false }],
    });
    const again = chat.encodeRequest(
      ask({ messages: [user("a")], seed: 0, presence_penalty: 0, logprobs: false }),
    );
    expect(again.body).toMatchObject({ seed: 0, presence_penalty: 0, logprobs: false });
  });

  it("encodes every form of tool choice", () => {
    const tools = [{ type: "function", function: { name: "f" } }];
    const chosen = (tool_choice: unknown) =>
      toClaude({ messages: [user("a")], tools, tool_choice }).body["tool_choice"];
    expect(chosen("none")).toEqual({ type: "none" });
    expect(chosen("auto")).toEqual({ type: "auto" });
    expect(chosen("required")).toEqual({ type: "any" });
    expect(chosen("any")).toEqual({ type: "any" });
    expect(chosen({ type: "function", function: { name: "f" } })).toEqual({ type: "tool", name: "f" });
    expect(chosen(undefined)).toBeUndefined();
  });

  it("sets a limit of 8,192 tokens when the caller set none", () => {
    expect(toClaude({ messages: [user("a")] }).body["max_tokens"]).toBe(8192);
  });

  it("treats 0 and -1 as a disabled top_k", () => {
    const reported = (top_k: number) => toClaude({ messages: [user("a")], top_k }).body["top_k"];
    expect([reported(-1), reported(0), reported(40)]).toEqual([undefined, undefined, 40]);
  });

  it("turns an effort into a share of the limit and sends no sampling parameters while thinking", () => {
    const { body, dropped } = toClaude({
      messages: [user("a")],
      reasoning_effort: "medium",
      max_tokens: 10_000,
      temperature: 0.2,
      top_p: 0.5,
    });
    expect(body).toMatchObject({ max_tokens: 10_000, thinking: { type: "enabled", budget_tokens: 5000 } });
    expect(body["temperature"]).toBeUndefined();
    expect(dropped).toEqual(["temperature", "top_p"]);
  });

  it("thinks with at least 1,024 tokens, and not at all where the limit leaves no room", () => {
    const thinking = (max_tokens: number) =>
      toClaude({ messages: [user("a")], reasoning_effort: "low", max_tokens }).body["thinking"];
    expect(thinking(2000)).toEqual({ type: "enabled", budget_tokens: 1024 });
    expect(thinking(1000)).toBeUndefined();
  });

  it("does not think where a tool is forced or the current call has lost its reasoning", () => {
    const call = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
    const messages = [
      user("a"),
      { role: "assistant", tool_calls: [call] },
      { role: "tool", tool_call_id: "a", content: "1" },
    ];
    const { body, dropped } = toClaude({ messages, reasoning_effort: "high" });
    expect(body["thinking"]).toBeUndefined();
    expect(dropped).toContain("reasoning");
    const forced = toClaude({
      messages: [user("a")],
      reasoning_effort: "high",
      tools: [{ type: "function", function: { name: "f" } }],
      tool_choice: "required",
    });
    expect(forced.body["thinking"]).toBeUndefined();
  });

  it("reports what it cannot express", () => {
    const { dropped } = toClaude({
      messages: [user("a")],
      n: 2,
      seed: 1,
      logprobs: true,
      presence_penalty: 1,
      response_format: { type: "json_object" },
      logit_bias: { 1: 5 },
      stop: ["\n"],
    });
    expect(dropped.toSorted()).toEqual([
      "logit_bias",
      "logprobs",
      "n",
      "presence_penalty",
      "response_format",
      "seed",
      "stop",
    ]);
  });

  it("reports invalid JSON arguments as the caller's error", () => {
    const call = { id: "a", type: "function", function: { name: "f", arguments: '{"a":' } };
    const body = { messages: [user("a"), { role: "assistant", tool_calls: [call] }] };
    for (const dialect of [anthropic, gemini]) {
      expect(() => dialect.encodeRequest(ask(body))).toThrow(
        expect.objectContaining({ status: 400, param: "messages.1" }) as GatewayError,
      );
    }
    expect(() => chat.encodeRequest(ask(body))).not.toThrow();
  });

  it("moves images of a tool result to the user message where tool messages are text only", () => {
    const request = ask(
      {
        max_tokens: 9,
        messages: [
          { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] },
          user([
            {
              type: "tool_result",
              tool_use_id: "a",
              content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } }],
            },
            { type: "text", text: "See?" },
          ]),
        ],
      },
      anthropic,
    );
    const messages = chat.encodeRequest(request).body["messages"] as Wire[];
    expect(messages.map((message) => message["role"])).toEqual(["assistant", "tool", "user"]);
    expect(messages[2]?.["content"]).toMatchObject([{ type: "image_url" }, { type: "text", text: "See?" }]);
  });
});

describe("plain text tools", () => {
  const patch = {
    type: "custom",
    name: "patch",
    description: "Edits.",
    format: { type: "grammar", syntax: "lark", definition: "start: X" },
  };
  const history = [
    user("a"),
    { type: "custom_tool_call", call_id: "c1", name: "patch", input: "*** Begin" },
    { type: "custom_tool_call_output", call_id: "c1", output: "done" },
  ];
  const request = ask(
    { input: history, tools: [patch], tool_choice: { type: "custom", name: "patch" } },
    responses,
  );

  it("are functions with one string in other dialects, and unchanged in their own", () => {
    const { body } = anthropic.encodeRequest(request);
    expect(body).toMatchObject({
      tools: [{ name: "patch", input_schema: { properties: { input: { type: "string" } } } }],
      tool_choice: { type: "tool", name: "patch" },
      messages: [
        {},
        { content: [{ type: "tool_use", input: { input: "*** Begin" } }] },
        { content: [{ type: "tool_result" }] },
      ],
    });
    expect(JSON.stringify(body)).toContain("start: X");
    expect(responses.encodeRequest(request).body).toMatchObject({
      tools: [patch],
      tool_choice: { type: "custom", name: "patch" },
      input: [{}, ...history.slice(1)],
    });
  });

  it("are called with plain text, in complete responses and in streams", () => {
    const call = { type: "tool_use", id: "c2", name: "patch", input: { input: "*** End" } };
    const answer = anthropic.decodeResponse({
      id: "m",
      model: "c",
      content: [call],
      stop_reason: "tool_use",
    });
    const item = {
      type: "custom_tool_call",
      call_id: "c2",
      name: "patch",
      input: "*** End",
      status: "completed",
    };
    expect(responses.encodeResponse(answer, request)["output"]).toMatchObject([item]);
    const encode = responses.encodeStream(request);
    const list: ChatEvent[] = [
      { type: "start", id: "x", model: "m" },
      { type: "tool-call", choice: 0, part: 0, id: "c2", name: "patch" },
      { type: "tool-input", choice: 0, part: 0, text: '{"input":"*** ' },
      { type: "tool-input", choice: 0, part: 0, text: 'End"}' },
      { type: "stop", choice: 0, reason: "tool-calls" },
      { type: "finish" },
    ];
    const types = list.map((event) => encode(event).text).join("");
    expect(types).toContain('"type":"response.custom_tool_call_input.done"');
    const last = JSON.parse(types.trimEnd().split("\ndata: ").at(-1)!) as { response: { output: unknown } };
    expect(last.response.output).toMatchObject([item]);
  });
});

describe("fields of one provider", () => {
  it("pass in the same dialect and are reported in others", () => {
    const body = {
      messages: [user("a")],
      reasoning_effort: "default",
      response_format: { type: "grammar", grammar: "x" },
    };
    const request = ask(body);
    expect(chat.encodeRequest(request).body).toMatchObject(body);
    expect(anthropic.encodeRequest(request).dropped).toEqual(["reasoning_effort", "response_format"]);
    const output = { effort: "huge", format: { type: "new" }, more: 1 };
    const claude = ask({ messages: [user("a")], max_tokens: 9, output_config: output }, anthropic);
    expect(anthropic.encodeRequest(claude).body).toMatchObject({ output_config: output });
    const text = { format: { type: "grammar" }, verbosity: "low" };
    const codex = ask(
      { input: "a", text, reasoning: { effort: "huge", summary: "none", mode: "pro" } },
      responses,
    );
    expect(responses.encodeRequest(codex).body).toMatchObject({
      text,
      reasoning: { effort: "huge", summary: "none" },
    });
  });

  it("are not reported when they are null", () => {
    const { dropped } = toClaude({ messages: [user("a")], store: null, prediction: null, verbosity: "low" });
    expect(dropped).toEqual(["verbosity"]);
  });

  it("does not take an empty finish reason for the end", () => {
    expect(chat.isLast({ event: undefined, data: '{"choices":[{"delta":{},"finish_reason":""}]}' })).toBe(
      false,
    );
  });
});

describe("errors of callers", () => {
  it.each([
    [{ messages: [{ role: "robot", content: "x" }] }, "messages.0.role"],
    [{ messages: [] }, "messages"],
    [{ messages: [user([{ type: "text" }])] }, "messages.0.content.0.text"],
    [{ messages: [user("a")], temperature: 3 }, "temperature"],
    [{ messages: [user("a")], max_tokens: -1 }, "max_tokens"],
    [{ messages: [user("a")], tools: [{ type: "function" }] }, "tools.0.function"],
  ])("are reported with their path: %j", (body, param) => {
    expect(() => ask(body)).toThrow(
      expect.objectContaining({ code: "invalid_request", param }) as GatewayError,
    );
  });

  it("are reported in the client's own terms", () => {
    expect(() => ask({ contents: [{ role: "user", parts: [{ functionCall: {} }] }] }, gemini)).toThrow(
      expect.objectContaining({ param: "contents.0.parts.0.functionCall.name" }) as GatewayError,
    );
    expect(() => ask({ messages: [user([{ type: "tool_result" }])] }, anthropic)).toThrow(
      expect.objectContaining({ param: "messages.0.content.0.tool_use_id" }) as GatewayError,
    );
    expect(() => ask({ input: [{ type: "function_call", name: "f" }] }, responses)).toThrow(
      expect.objectContaining({ param: "input.0.call_id" }) as GatewayError,
    );
  });
});

describe("messages to chat completions", () => {
  const claude = {
    id: "msg_1",
    model: "c",
    content: [
      { type: "text", text: "One." },
      { type: "text", text: " Two." },
    ],
    stop_reason: "end_turn",
    usage: { input_tokens: 1, cache_read_input_tokens: 5, cache_creation_input_tokens: 7, output_tokens: 3 },
  };

  it("requests one token where only the prompt cache is to be filled, and reports it", () => {
    const request = ask({ messages: [user("a")], max_tokens: 0 }, anthropic);
    expect(anthropic.encodeRequest(request).body["max_tokens"]).toBe(0);
    expect(chat.encodeRequest(request)).toMatchObject({ body: { max_tokens: 1 }, dropped: ["max_tokens"] });
  });

  it("joins several texts in one choice and counts cached tokens within the prompt", () => {
    const wire = chat.encodeResponse(anthropic.decodeResponse(claude), ask({ messages: [user("a")] }));
    expect(wire).toMatchObject({
      choices: [{ index: 0, message: { content: "One. Two." }, finish_reason: "stop" }],
      usage: { prompt_tokens: 13, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 5 } },
    });
  });

  it("numbers parallel calls of a stream", () => {
    const encode = chat.encodeStream(ask({ messages: [user("a")] }));
    const events: ChatEvent[] = [
      { type: "start", id: "x", model: "m" },
      { type: "tool-call", choice: 0, part: 1, id: "a", name: "f" },
      { type: "tool-call", choice: 0, part: 2, id: "b", name: "g" },
      { type: "tool-input", choice: 0, part: 2, text: "{}" },
      { type: "stop", choice: 0, reason: "tool-calls" },
      { type: "finish" },
    ];
    const text = events.map((event) => encode(event).text).join("");
    expect([...text.matchAll(/"tool_calls":\[\{"index":(\d)/g)].map((match) => match[1])).toEqual([
      "0",
      "1",
      "1",
    ]);
    expect(text.indexOf('"role":"assistant"')).toBeLessThan(text.indexOf("tool_calls"));
    expect(text).not.toContain('"usage"');
    expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
  });

  it("sends neither the finish reason nor the usage before the finish", () => {
    const encode = chat.encodeStream({ ...ask({ messages: [user("a")] }), includeUsage: true });
    encode({ type: "start", id: "x", model: "m" });
    expect(encode({ type: "stop", choice: 0, reason: "stop" })).toEqual({ text: "", last: false });
    const { text, last } = encode({ type: "finish", usage: { input: 1, output: 2 } });
    expect(last).toBe(true);
    expect(text.indexOf('"finish_reason":"stop"')).toBeLessThan(text.indexOf('"usage":{"prompt_tokens":1'));
  });

  it("returns reasoning and its proof to their provider through a chat client", () => {
    const thinking = { type: "thinking", thinking: "Hm.", signature: "c2ln" };
    const hidden = { type: "redacted_thinking", data: "cmVk" };
    const call = { type: "tool_use", id: "a", name: "f", input: {} };
    const answer = anthropic.decodeResponse({ ...claude, content: [thinking, hidden, call] });
    const wire = chat.encodeResponse(answer, ask({ messages: [user("a")] }));
    const { message } = (wire["choices"] as Array<{ message: Wire }>)[0]!;
    const { body } = toClaude({
      messages: [user("a"), message, { role: "tool", tool_call_id: "a", content: "1" }],
    });
    expect((body["messages"] as Wire[])[1]).toEqual({ role: "assistant", content: [thinking, hidden, call] });
  });

  it("returns them through a Responses client and a Gemini client too", () => {
    const thinking = { type: "thinking", thinking: "Hm.", signature: "c2ln" };
    const answer = anthropic.decodeResponse({
      ...claude,
      content: [thinking, { type: "text", text: "Yes." }],
    });
    const output = responses.encodeResponse(answer, ask({ messages: [user("a")] }))["output"] as Wire[];
    const again = ask({ input: [user("a"), ...output, user("b")] }, responses);
    const candidates = gemini.encodeResponse(answer, again)["candidates"] as Array<{ content: Wire }>;
    const third = ask(
      { contents: [{ parts: [{ text: "a" }] }, candidates[0]!.content, { parts: [{ text: "b" }] }] },
      gemini,
    );
    for (const request of [again, third]) {
      const messages = anthropic.encodeRequest(request).body["messages"] as Wire[];
      expect(messages[1]).toEqual({ role: "assistant", content: [thinking, { type: "text", text: "Yes." }] });
    }
  });
});

describe("streams of chat providers with deviations", () => {
  const names = (events: ChatEvent[]) =>
    events.flatMap((event) => (event.type === "tool-call" ? [[event.part, event.id, event.name]] : []));
  const input = (events: ChatEvent[], part: number) =>
    events.map((event) => (event.type === "tool-input" && event.part === part ? event.text : "")).join("");

  it("distinguishes calls that are all numbered 0", () => {
    const call = (id: string, name: string) => ({
      tool_calls: [{ index: 0, id, function: { name, arguments: `{"n":"${name}"}` } }],
    });
    const events = decode(chat, [
      chunk(call("a", "f")),
      chunk(call("b", "g")),
      chunk({}, "tool_calls"),
      "[DONE]",
    ]);
    expect(names(events)).toEqual([
      [0, "a", "f"],
      [1, "b", "g"],
    ]);
    expect(input(events, 1)).toBe('{"n":"g"}');
  });

  it("gives an id to a call without one and reads a name that arrives late", () => {
    const events = decode(chat, [
      chunk({ tool_calls: [{ index: 0, function: { arguments: "{" } }] }),
      chunk({ tool_calls: [{ index: 0, function: { name: "f", arguments: "}" } }] }),
      chunk({}, "stop"),
    ]);
    expect(names(events)).toEqual([[0, "call_c_0", "f"]]);
    expect(input(events, 0)).toBe("{}");
    expect(events).toContainEqual({ type: "stop", choice: 0, reason: "tool-calls", raw: "stop" });
  });

  it("reads a whole message in a chunk, once", () => {
    const message = { role: "assistant", content: ["Hi ", { type: "text", text: "there" }] };
    const whole = { id: "c", choices: [{ index: 0, message, finish_reason: "stop" }] };
    const text = (events: ChatEvent[]) =>
      events.map((event) => (event.type === "text" ? event.text : "")).join("");
    expect(text(decode(chat, [whole]))).toBe("Hi there");
    expect(text(decode(chat, [chunk({ content: "Hi there" }), whole]))).toBe("Hi there");
  });

  it("accepts the end of the body as the end of the response after the finish reason", () => {
    expect(decode(chat, [chunk({ content: "a" }, "stop")]).at(-1)?.type).toBe("finish");
    expect(decode(chat, [chunk({ content: "a" })]).at(-1)).toMatchObject({
      type: "error",
      error: { kind: "network" },
    });
  });

  it("counts reasoning that a provider does not include in the completion", () => {
    const wire = {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 35,
      completion_tokens_details: { reasoning_tokens: 20 },
    };
    const events = decode(chat, [chunk({ content: "a" }, "stop", { usage: wire }), "[DONE]"]);
    expect(events.at(-1)).toMatchObject({ usage: { input: 10, output: 25, reasoning: 20 } });
  });

  it("ignores negative and implausible token counts", () => {
    const events = decode(chat, [
      chunk({ content: "a" }, "stop", { usage: { prompt_tokens: -5, completion_tokens: 1e300 } }),
    ]);
    expect(events.at(-1)).toEqual({ type: "finish", usage: undefined });
  });

  it("reads thinking inside the content", () => {
    const content = [
      { type: "thinking", thinking: [{ type: "text", text: "Hm." }] },
      { type: "text", text: "Yes." },
    ];
    const events = decode(chat, [chunk({ content }, "stop")]);
    expect(events.slice(1, 3)).toEqual([
      { type: "reasoning", choice: 0, part: 0, text: "Hm." },
      { type: "text", choice: 0, part: 1, text: "Yes." },
    ]);
  });
});

describe("passing through", () => {
  it("requests usage from chat providers, keeps the client's other stream options, and drops the unrequested chunk", () => {
    const body = { model: "a", stream: true, stream_options: { include_obfuscation: false }, foo: 1 };
    expect(chat.adjust(body, "b")).toEqual({
      model: "b",
      stream: true,
      foo: 1,
      stream_options: { include_obfuscation: false, include_usage: true },
    });
    expect(chat.adjust({ model: "a" }, "b")).toEqual({ model: "b" });
    for (const dialect of Object.values(dialects)) {
      const ready = {
        model: dialect.id === "gemini" ? "models/a" : "a",
        stream: true,
        stream_options: { include_usage: true },
      };
      expect(dialect.adjust(ready, "a")).toBe(ready);
    }
    const only = { event: undefined, data: '{"choices": [], "usage": {"prompt_tokens":1}}' };
    const both = { event: undefined, data: '{"choices":[{"delta":{}}],"usage":{"prompt_tokens":1}}' };
    const request = ask({ messages: [user("a")] });
    expect(chat.dropFrame?.(only, request)).toBe(true);
    expect(chat.dropFrame?.(both, request)).toBe(false);
    expect(chat.dropFrame?.(only, { ...request, includeUsage: true })).toBe(false);
  });

  it("does not count cumulative usage of messages twice", () => {
    const skimmer = anthropic.skim();
    const frames = [
      {
        type: "message_start",
        message: { usage: { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 1 } },
      },
      { type: "message_delta", delta: {}, usage: { output_tokens: 7 } },
      {
        type: "message_delta",
        delta: { stop_reason: "end_turn" },
        usage: { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 9 },
      },
    ];
    for (const frame of frames) skimmer.frame({ event: frame.type, data: JSON.stringify(frame) });
    expect(skimmer.usage).toMatchObject({ input: 15, output: 9, cacheRead: 5 });
  });

  it("distinguishes cache writes of five minutes from those of an hour", () => {
    const usage = {
      input_tokens: 1,
      output_tokens: 1,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
    };
    const { usage: read } = anthropic.skimResponse(JSON.stringify({ content: [], usage }));
    expect(read).toMatchObject({ input: 31, cacheWrite5m: 10, cacheWrite1h: 20 });
  });
});

describe("reading values from text", () => {
  it("counts characters by script, escapes and surrogates as one", () => {
    const tally = emptyTally();
    tallyValues(JSON.stringify({ content: 'a"\n\\é世🚀' }), 'content"', tally);
    tallyValues('{"content" : "\\u4e16\\u0041"}', 'content"', tally);
    expect(tally).toEqual({ narrow: 6, wide: 3, spaces: 1 });
  });

  it("ignores text that looks like a key", () => {
    const json = JSON.stringify({ content: '"usage":{"a":1}', b: "usage", usage: null });
    expect(hasValue(json, 'usage"', "{")).toBe(false);
    expect(lastObject(json, 'usage"')).toBeUndefined();
    expect(lastObject('{"usage":{"a":"}"},"usage":null}', 'usage"')).toEqual({ a: "}" });
  });
});

describe("a Gemini stream as one array", () => {
  const request = gemini.decodeRequest(
    { contents: [{ parts: [{ text: "a" }] }] },
    { model: "m", stream: true, sse: false },
  );
  const start: ChatEvent = { type: "start", id: "x", model: "m" };
  const output: ChatEvent = { type: "text", choice: 0, part: 0, text: "Hi" };

  it("is valid JSON when it is complete", () => {
    const encode = gemini.encodeStream(request);
    const list: ChatEvent[] = [
      start,
      output,
      { type: "stop", choice: 0, reason: "stop" },
      { type: "finish", usage: { input: 1, output: 2 } },
    ];
    const chunks = JSON.parse(list.map((event) => encode(event).text).join("")) as Wire[];
    expect(chunks).toHaveLength(3);
    expect(chunks.at(-1)).toMatchObject({
      candidates: [{ finishReason: "STOP" }],
      usageMetadata: { totalTokenCount: 3 },
    });
  });

  it("is valid JSON when it ends in an error", () => {
    const encode = gemini.encodeStream(request);
    const text =
      encode(start).text +
      gemini.encodeStreamError(
        new GatewayError("upstream_failed", { reason: "upstream_broke_off" }),
        "r",
        request,
      );
    expect(JSON.parse(text)).toMatchObject([{}, { error: { code: 502 } }]);
  });
});

describe("errors of providers", () => {
  const kinds: Array<[Dialect, number, unknown, string]> = [
    [chat, 429, { error: { code: "insufficient_quota", message: "x" } }, "quota"],
    [chat, 429, { error: { code: "rate_limit_exceeded", message: "x" } }, "rate-limited"],
    [chat, 400, { error: { code: "context_length_exceeded", message: "x" } }, "bad-request"],
    [chat, 400, { error: { code: "invalid_api_key", message: "x" } }, "auth"],
    [chat, 402, { error: { message: "Insufficient Balance" } }, "quota"],
    [chat, 503, "<html>", "overloaded"],
    [chat, 500, "", "server"],
    [anthropic, 529, { type: "error", error: { type: "overloaded_error", message: "x" } }, "overloaded"],
    [anthropic, 400, { type: "error", error: { type: "billing_error", message: "x" } }, "quota"],
    [anthropic, 401, { type: "error", error: { type: "authentication_error", message: "x" } }, "auth"],
    [
      gemini,
      400,
      {
        error: {
          code: 400,
          status: "INVALID_ARGUMENT",
          message: "x",
          details: [{ reason: "API_KEY_INVALID" }],
        },
      },
      "auth",
    ],
    [gemini, 400, { error: { code: 400, status: "INVALID_ARGUMENT", message: "x" } }, "bad-request"],
    [gemini, 404, [{ error: { code: 404, status: "NOT_FOUND", message: "x" } }], "not-found"],
  ];
  it.each(kinds)("of %o with status %i and %j are of kind %s", (dialect, status, body, kind) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    expect(dialect.decodeError(status, text, {}).kind).toBe(kind);
  });

  it("contain the retry delay", () => {
    const wait = (headers: Record<string, string>) => chat.decodeError(429, "{}", headers).retryAfter;
    expect(wait({ "retry-after": "3" })).toBe(3);
    expect(wait({ "retry-after-ms": "1500" })).toBe(2);
    expect(wait({ "retry-after": new Date(Date.now() + 10_000).toUTCString() })).toBeGreaterThan(7);
    expect(wait({ "retry-after": "soon" })).toBeUndefined();
    const details = [{ retryDelay: "34.07s" }];
    expect(gemini.decodeError(429, JSON.stringify({ error: { details } }), {}).retryAfter).toBe(35);
  });
});
