import { GoogleGenAI } from "@google/genai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { head, type RawUpstream, startRawUpstream } from "#test/raw-upstream.ts";

/** Responses that deviate from their format or from common practice, parsed by the official clients. */
let gateway: TestGateway;
let upstream: RawUpstream;
let key: string;

const models = {
  mistral: 30,
  together: 902,
  custom: 8,
  openai: 1,
  anthropic: 14,
  gemini: 25,
  "gpt-5-pro": 1,
} as const;

beforeAll(async () => {
  gateway = await startTestGateway();
  upstream = await startRawUpstream();
  for (const [model, type] of Object.entries(models)) {
    await gateway.addChannel({ type, name: model, base_url: upstream.url, models: [model] });
    if (model !== "gpt-5-pro") await gateway.addPrice(model);
  }
  key = (await gateway.addToken()).key;
});
afterAll(async () => {
  await gateway.stop();
  await upstream.close();
});

const messages = [{ role: "user" as const, content: "Hi" }];
const google = () => new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: `${gateway.url}/gemini` } });

function plays(body: object | string, type = "application/json"): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  upstream.play({ chunks: [head(type), text], ending: "end" });
}

function streams(
  frames: object[],
  { end = "\n", done = true, type = "text/event-stream", cutAt = -1 } = {},
): void {
  const text = [...frames.map((frame) => JSON.stringify(frame)), ...(done ? ["[DONE]"] : [])]
    .map((data) => `data: ${data}${end}${end}`)
    .join("");
  const bytes = Buffer.from(text);
  const cut = cutAt === -1 ? bytes.length : cutAt < 0 ? bytes.length + cutAt + 1 : cutAt;
  upstream.play({
    chunks: [head(type), bytes.subarray(0, cut), bytes.subarray(cut)],
    ending: "end",
    pauseMs: 20,
  });
}

const chunk = (delta: object, finish: string | null = null, more: object = {}) => ({
  id: "c",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
});
const call = (id: string) => ({
  tool_calls: [{ index: 0, id, type: "function", function: { name: "look", arguments: `{"at":"${id}"}` } }],
});
const tools = [{ type: "function" as const, function: { name: "look", parameters: { type: "object" } } }];

describe("a provider that deviates from chat completions", () => {
  it("Mistral: OpenAI's client receives thinking, calls and counts in the usual fields", async () => {
    const delta = {
      content: [
        { type: "thinking", thinking: [{ type: "text", text: "Hm." }] },
        { type: "text", text: "Yes." },
      ],
    };
    const named = { tool_calls: [{ function: { name: "look", arguments: { at: "sea" } } }] };
    const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };
    streams([chunk(delta), chunk(named), chunk({}, "eos", { usage })]);
    const answer = await gateway
      .openai(key)
      .chat.completions.stream({ model: "mistral", messages, tools })
      .finalChatCompletion();
    expect(answer.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: {
        role: "assistant",
        content: "Yes.",
        tool_calls: [{ type: "function", function: { name: "look", arguments: '{"at":"sea"}' } }],
      },
    });
  });

  it("a stream without a finish reason gets one", async () => {
    streams([chunk({ content: "Hi" }), chunk({ content: "!" })]);
    const stream = gateway.openai(key).chat.completions.stream({ model: "custom", messages });
    expect((await stream.finalChatCompletion()).choices[0]).toMatchObject({
      finish_reason: "stop",
      message: { role: "assistant", content: "Hi!" },
    });
  });

  it("Together: calls after a first finish reason reach every client", async () => {
    const frames = [
      chunk({ role: "assistant" }),
      chunk(call("a"), "tool_calls"),
      chunk(call("b"), "tool_calls"),
    ];
    const count = {
      ...chunk({}),
      choices: [],
      usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
    };
    streams([...frames, count]);
    const chat = await gateway
      .openai(key)
      .chat.completions.stream({ model: "together", messages, tools })
      .finalMessage();
    expect(chat.tool_calls).toHaveLength(2);
    streams([...frames, count]);
    const schema = { type: "object" as const };
    const message = await gateway
      .anthropic(key)
      .messages.stream({
        model: "together",
        max_tokens: 50,
        messages,
        tools: [{ name: "look", input_schema: schema }],
      })
      .finalMessage();
    expect(message.content.map((block) => block.type)).toEqual(["tool_use", "tool_use"]);
    expect(message.stop_reason).toBe("tool_use");
  });

  it("a client that did not request usage does not receive any", async () => {
    const frames = [
      chunk({ role: "assistant", content: "Hi" }, null, { usage: null }),
      chunk({}, "stop", { usage: null }),
    ];
    const count = {
      ...chunk({}),
      choices: [],
      usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
    };
    const ask = async (fields: object) => {
      streams([...frames, count]);
      const response = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "openai", messages, stream: true, ...fields }),
      });
      return response.text();
    };
    expect(await ask({})).not.toContain("usage");
    expect(await ask({ stream_options: { include_usage: true } })).toContain('"usage":null');
  });
});

describe("the format of a response", () => {
  const answer = (text: string, more: object = {}) => ({
    candidates: [{ content: { role: "model", parts: [{ text }] }, index: 0, ...more }],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2 },
  });

  it.each([-1, -2, -3, 40])(
    "Gemini: Google's client reads a stream with CRLF that is cut at byte %i",
    async (cutAt) => {
      streams([answer("A"), answer("hoy", { finishReason: "STOP" })], { end: "\r\n", done: false, cutAt });
      let text = "";
      for await (const each of await google().models.generateContentStream({
        model: "gemini",
        contents: "Hi",
      }))
        text += each.text ?? "";
      expect(text).toBe("Ahoy");
    },
  );

  it("events sent with a JSON content type are parsed as events, streamed or not", async () => {
    const frames = [chunk({ role: "assistant", content: "Ahoy" }), chunk({}, "stop")];
    for (const model of ["openai", "custom"]) {
      streams(frames, { type: "application/json" });
      const client = gateway.openai(key);
      expect(await client.chat.completions.stream({ model, messages }).finalContent()).toBe("Ahoy");
      streams(frames, { type: "application/json" });
      const whole = await client.chat.completions.create({ model, messages });
      expect(whole.choices[0]?.message.content).toBe("Ahoy");
      streams(frames, { type: "application/json" });
      const translated = gateway.anthropic(key).messages.stream({ model, max_tokens: 9, messages });
      expect(await translated.finalText()).toBe("Ahoy");
    }
  });

  it("plain JSON with an error between the events of a stream is an error", async () => {
    const error = JSON.stringify(
      { error: { code: 503, message: "overloaded", status: "UNAVAILABLE" } },
      null,
      2,
    );
    const text = `data: ${JSON.stringify(answer("A", { finishReason: "STOP" }))}\r\n\r\n${error}\r\n`;
    plays(text, "text/event-stream");
    const read = async () => {
      for await (const each of await google().models.generateContentStream({
        model: "gemini",
        contents: "Hi",
      }))
        expect(each.text ?? "A").toBe("A");
    };
    await expect(read()).rejects.toThrow();
  });
});

describe("a refusal", () => {
  const refused = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [],
    stop_reason: "refusal",
    stop_details: { type: "refusal", category: "cyber", explanation: "This is not allowed." },
    usage: { input_tokens: 5, output_tokens: 0 },
  };
  const events = [
    ["message_start", { message: { ...refused, stop_reason: null, stop_details: null } }],
    [
      "message_delta",
      { delta: { stop_reason: "refusal", stop_details: refused.stop_details }, usage: { output_tokens: 0 } },
    ],
    ["message_stop", {}],
  ] as const;
  const playStream = () => {
    const frames = events.map(
      ([type, fields]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`,
    );
    plays(frames.join(""), "text/event-stream");
  };

  it("by Claude is a refusal for clients of Responses", async () => {
    const client = gateway.openai(key);
    plays(refused);
    const whole = await client.responses.create({ model: "anthropic", input: "Hi" });
    playStream();
    const streamed = await client.responses.stream({ model: "anthropic", input: "Hi" }).finalResponse();
    for (const response of [whole, streamed]) {
      expect(response).toMatchObject({
        status: "incomplete",
        incomplete_details: { reason: "content_filter" },
      });
      expect(response.output).toMatchObject([
        { type: "message", content: [{ type: "refusal", refusal: "This is not allowed." }] },
      ]);
    }
  });

  it("by Claude is a refusal for clients of chat completions and Gemini", async () => {
    plays(refused);
    const whole = await gateway.openai(key).chat.completions.create({ model: "anthropic", messages });
    expect(whole.choices[0]).toMatchObject({
      finish_reason: "content_filter",
      message: { refusal: "This is not allowed." },
    });
    playStream();
    const chat = gateway.openai(key).chat.completions.stream({ model: "anthropic", messages });
    expect((await chat.finalChatCompletion()).choices[0]).toMatchObject({
      finish_reason: "content_filter",
      message: { refusal: "This is not allowed." },
    });
    plays(refused);
    const gemini = await google().models.generateContent({ model: "anthropic", contents: "Hi" });
    expect(gemini.candidates?.[0]?.finishReason).toBe("SAFETY");
  });

  it("of a prompt by Gemini is a refusal for every client, also without counts", async () => {
    const blocked = { promptFeedback: { blockReason: "PROHIBITED_CONTENT" } };
    plays(blocked);
    const own = await google().models.generateContent({ model: "gemini", contents: "Hi" });
    expect(own.promptFeedback?.blockReason).toBe("PROHIBITED_CONTENT");
    plays(blocked);
    const chat = await gateway.openai(key).chat.completions.create({ model: "gemini", messages });
    expect(chat.choices[0]?.finish_reason).toBe("content_filter");
    plays(blocked);
    const response = await gateway.openai(key).responses.create({ model: "gemini", input: "Hi" });
    expect(response.status).toBe("incomplete");
    plays(blocked);
    const message = await gateway
      .anthropic(key)
      .messages.create({ model: "gemini", max_tokens: 9, messages });
    expect(message.stop_reason).toBe("refusal");
  });
});

describe("an item of an unexpected kind", () => {
  it("does not make the rest of a Responses response unreadable", async () => {
    const output = [
      { type: "tool_search_call", id: "ts_1", status: "completed", arguments: { query: "sea" } },
      {
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text: "Ahoy", annotations: [] }],
      },
    ];
    plays({
      id: "resp_1",
      object: "response",
      status: "completed",
      model: "gpt-5-pro",
      output,
      usage: { input_tokens: 5, output_tokens: 2 },
    });
    const message = await gateway
      .anthropic(key)
      .messages.create({ model: "gpt-5-pro", max_tokens: 9, messages });
    expect(message.content).toEqual([{ type: "text", text: "Ahoy", citations: null }]);
  });
});

describe("a response that cannot be read", () => {
  const post = async (path: string, body: object) => {
    const response = await fetch(gateway.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    await response.text();
    return response.status;
  };
  const requests: Array<[string, object, string]> = [
    ["/v1/chat/completions", { messages }, '{"choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tok'],
    ["/v1/messages", { messages, max_tokens: 9 }, '{"choices":[{"message":{"content":"Hi"}}],"usage":{"p'],
    ["/v1/embeddings", { input: "a" }, '{"data":[{"index":0,"embedding":[1,2'],
    ["/v1/images/generations", { prompt: "a" }, '{"data":[{"b64_json":"AAAA'],
    ["/v1/rerank", { query: "a", documents: ["b"] }, '{"results":[{"index":0,"relev'],
  ];

  it.each(requests)("at %s, because its end is missing: fails and is free", async (path, body, text) => {
    for (const model of ["custom", "together"]) {
      plays(text);
      expect(await post(path, { model, ...body }), model).toBe(502);
      const [row] = await gateway.logs();
      expect(row).toMatchObject({ quota: 0, outcome: "failed" });
    }
  });

  it("because it is nested too deeply: fails and is free", async () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    const task = { type: 34, name: "mj", base_url: upstream.url, models: ["mj_imagine"] };
    await gateway.addChannel(task);
    await gateway.addPrice("mj_imagine", { type: "times" }).catch(() => undefined);
    plays(`{"code":1,"result":"1","x":${deep}}`);
    expect(await post("/mj/submit/imagine", { prompt: "a" })).toBe(502);
    expect(await gateway.database.db.task.count()).toBe(0);
    for (const path of ["/v1/chat/completions", "/v1/messages"]) {
      const call = `[{"id":"c","function":{"name":"f","arguments":{"a":${deep}}}}]`;
      plays(`{"choices":[{"message":{"content":"Hi","tool_calls":${call}}}]}`);
      expect(await post(path, { model: "together", messages, max_tokens: 9 }), path).toBe(502);
    }
    // A frame that cannot be read passes unchanged within one dialect, and cannot be translated.
    for (const [path, status] of [
      ["/v1/chat/completions", 200],
      ["/v1/messages", 502],
    ] as const) {
      const call = `[{"index":0,"id":"c","function":{"name":"f","arguments":{"a":${deep}}}}]`;
      const frame = `data: {"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":${call}}}]}\n\n`;
      upstream.play({ chunks: [head("text/event-stream"), frame, "data: [DONE]\n\n"], ending: "end" });
      expect(await post(path, { model: "together", stream: true, messages, max_tokens: 9 }), path).toBe(
        status,
      );
    }
    expect(await gateway.drift()).toBe(0n);
  });
});
