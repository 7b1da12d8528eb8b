import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type DemoUpstream, startDemoUpstream } from "./server.ts";

let upstream: DemoUpstream;
let openai: OpenAI;
let claude: Anthropic;

beforeAll(async () => {
  upstream = await startDemoUpstream();
  openai = new OpenAI({ baseURL: `${upstream.url}/v1`, apiKey: "demo", maxRetries: 0 });
  claude = new Anthropic({ baseURL: upstream.url, apiKey: "demo", maxRetries: 0 });
});
afterEach(() => upstream.control.reset());
afterAll(() => upstream.close());

const model = "demo-chat";
const parameters = {
  type: "object",
  properties: { city: { type: "string" }, unit: { type: "string", enum: ["celsius", "fahrenheit"] } },
  required: ["city"],
};
const weather = { type: "function" as const, function: { name: "get_weather", parameters } };
const say = (content: string) => [{ role: "user" as const, content }];

describe("chat completions", () => {
  it("echoes the question in its language and counts tokens", async () => {
    const english = await openai.chat.completions.create({ model, messages: say("Why is the sky blue?") });
    expect(english.choices[0]!.message.content).toContain("Why is the sky blue?");
    expect(english.choices[0]!.finish_reason).toBe("stop");
    expect(english.usage!.prompt_tokens).toBeGreaterThan(3);
    expect(english.usage!.total_tokens).toBe(english.usage!.prompt_tokens + english.usage!.completion_tokens);
    const chinese = await openai.chat.completions.create({ model, messages: say("天空为什么是蓝色的？") });
    expect(chinese.choices[0]!.message.content).toContain("你问的是");
    const japanese = await openai.chat.completions.create({ model, messages: say("空はなぜ青いのですか") });
    expect(japanese.choices[0]!.message.content).toContain("ご質問");
  });

  it("streams the same text, one piece per token, with usage only on request", async () => {
    const stream = await openai.chat.completions.create({
      model,
      stream: true,
      stream_options: { include_usage: true },
      messages: say("[[length=40]] go on"),
    });
    let pieces = 0;
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const chunk of stream) {
      if (chunk.choices[0]?.delta.content) pieces += 1;
      usage ??= chunk.usage;
    }
    expect(pieces).toBe(40);
    expect(usage!.completion_tokens).toBe(40);
    const quiet = await openai.chat.completions.create({ model, stream: true, messages: say("hi") });
    for await (const chunk of quiet) expect(chunk.usage).toBeUndefined();
  });

  it("calls an offered tool and quotes its result", async () => {
    const tools = [weather];
    const messages: OpenAI.ChatCompletionMessageParam[] = say("What is the weather in Berlin in fahrenheit?");
    const requested = await openai.chat.completions.create({ model, messages, tools });
    const choice = requested.choices[0]!;
    expect(choice.finish_reason).toBe("tool_calls");
    const call = choice.message.tool_calls![0]!;
    if (call.type !== "function") throw new Error("not a function");
    expect(JSON.parse(call.function.arguments)).toEqual({ city: "Berlin", unit: "fahrenheit" });
    messages.push(choice.message, { role: "tool", tool_call_id: call.id, content: "21 degrees" });
    const answered = await openai.chat.completions.create({ model, messages, tools });
    expect(answered.choices[0]!.message.content).toContain("21 degrees");
  });

  it("does not call a tool because of the context that a coding agent puts before the question", async () => {
    const context = "<system-reminder>\nThe tool get_weather reports the weather.\n</system-reminder>";
    const texts = [context, "Hello"].map((text) => ({ type: "text" as const, text }));
    const answer = await openai.chat.completions.create({
      model,
      tools: [weather],
      messages: [{ role: "user", content: texts }],
    });
    expect(answer.choices[0]!.message.tool_calls).toBeUndefined();
    expect(answer.choices[0]!.message.content).toContain("I am demo-chat");
  });

  it("calls tools in parallel for several places, with arguments in pieces", async () => {
    const runner = openai.chat.completions.stream({
      model,
      tools: [weather],
      messages: say("Compare the weather in Paris and 東京, please"),
    });
    const final = await runner.finalChatCompletion();
    const cities = final.choices[0]!.message.tool_calls!.map((call) =>
      call.type === "function" ? (JSON.parse(call.function.arguments) as { city: string }).city : "",
    );
    expect(cities).toEqual(["Paris", "東京"]);
  });

  it("rejects a tool message without its call, and a call without its result", async () => {
    const call = {
      id: "call_1",
      type: "function" as const,
      function: { name: "get_weather", arguments: "{}" },
    };
    const orphan = openai.chat.completions.create({
      model,
      messages: [...say("hi"), { role: "tool", tool_call_id: "call_1", content: "x" }],
    });
    await expect(orphan).rejects.toThrow(OpenAI.BadRequestError);
    const unanswered = openai.chat.completions.create({
      model,
      messages: [...say("hi"), { role: "assistant", tool_calls: [call] }, ...say("well?")],
    });
    await expect(unanswered).rejects.toThrow("call_1");
  });

  it("fits structured output to its schema and stops at the token limit", async () => {
    const schema = {
      type: "object",
      properties: {
        name: { type: "string" },
        age: { type: "integer", minimum: 18 },
        tags: { type: "array", items: { enum: ["a", "b"] } },
      },
      required: ["name", "age", "tags"],
      additionalProperties: false,
    };
    const made = await openai.chat.completions.create({
      model,
      messages: say("Make someone up"),
      response_format: { type: "json_schema", json_schema: { name: "person", strict: true, schema } },
    });
    expect(JSON.parse(made.choices[0]!.message.content!)).toEqual({
      name: "demo name",
      age: 18,
      tags: ["a"],
    });
    const short = await openai.chat.completions.create({
      model,
      max_tokens: 5,
      messages: say("[[length=50]]"),
    });
    expect(short.choices[0]!.finish_reason).toBe("length");
    expect(short.usage!.completion_tokens).toBe(5);
  });

  it("counts the images in the request", async () => {
    const url = "data:image/png;base64,iVBORw0KGgo=";
    const seen = await openai.chat.completions.create({
      model,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image_url", image_url: { url } },
            { type: "image_url", image_url: { url } },
          ],
        },
      ],
    });
    expect(seen.choices[0]!.message.content).toContain("2 images");
  });

  it("returns reasoning as demo-think", async () => {
    const thought = await openai.chat.completions.create({ model: "demo-think", messages: say("Why?") });
    const message = thought.choices[0]!.message as { reasoning_content?: string };
    expect(message.reasoning_content).toContain("Why?");
    expect(thought.usage!.completion_tokens_details!.reasoning_tokens).toBeGreaterThan(5);
  });
});

describe("messages", () => {
  const max_tokens = 1000;

  it("responds plain and streamed with the same usage", async () => {
    const plain = await claude.messages.create({ model, max_tokens, messages: say("Good question?") });
    expect(plain.content[0]).toMatchObject({ type: "text" });
    expect(plain.stop_reason).toBe("end_turn");
    const streamed = await claude.messages
      .stream({ model, max_tokens, messages: say("Good question?") })
      .finalMessage();
    expect(streamed.content).toEqual(plain.content);
    expect(streamed.usage.input_tokens).toBe(plain.usage.input_tokens);
    expect(streamed.usage.output_tokens).toBe(plain.usage.output_tokens);
  });

  it("reports cached tokens in addition to the input", async () => {
    const { usage } = await claude.messages.create({
      model,
      max_tokens,
      messages: say("[[input=500]] [[cached=100]] [[cache-write=50]] [[output=7]]"),
    });
    expect(usage).toMatchObject({
      input_tokens: 350,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 50,
      output_tokens: 7,
    });
  });

  it("reasons, calls a tool in a stream, and accepts both back", async () => {
    const tools = [{ name: "get_weather", input_schema: { ...parameters, type: "object" as const } }];
    const messages: Anthropic.MessageParam[] = say("weather in Oslo?");
    const thinking = { type: "enabled" as const, budget_tokens: 1024 };
    const stream = claude.messages.stream({ model, max_tokens: 4000, thinking, tools, messages });
    const requested = await stream.finalMessage();
    expect(requested.stop_reason).toBe("tool_use");
    expect(requested.content.map((block) => block.type)).toEqual(["thinking", "tool_use"]);
    const use = requested.content[1] as Anthropic.ToolUseBlock;
    expect(use.input).toMatchObject({ city: "Oslo" });
    messages.push(
      { role: "assistant", content: requested.content },
      { role: "user", content: [{ type: "tool_result", tool_use_id: use.id, content: "snow" }] },
    );
    const answered = await claude.messages.create({ model, max_tokens: 4000, tools, messages });
    expect(answered.content[0]).toMatchObject({ type: "text" });
    expect((answered.content[0] as Anthropic.TextBlock).text).toContain("snow");
    (requested.content[0] as Anthropic.ThinkingBlock).thinking += "changed";
    await expect(claude.messages.create({ model, max_tokens: 4000, tools, messages })).rejects.toThrow(
      "signature",
    );
  });

  it("counts tokens as it reports them", async () => {
    const messages = say("Count me");
    const counted = await claude.messages.countTokens({ model, messages });
    const answered = await claude.messages.create({ model, max_tokens, messages });
    expect(counted.input_tokens).toBe(answered.usage.input_tokens);
  });

  it("returns errors in its own format with a request id", async () => {
    const error = await claude.messages
      .create({ model, max_tokens, messages: say("[[status=529]]") })
      .then(() => undefined)
      .catch((thrown: unknown) => thrown as InstanceType<typeof Anthropic.APIError>);
    expect(error).toMatchObject({
      status: 529,
      error: { type: "error", error: { type: "overloaded_error" } },
    });
    expect(error!.requestID).toMatch(/^req_/);
  });
});

describe("responses", () => {
  it("responds plain and streamed alike", async () => {
    const plain = await openai.responses.create({ model, input: "[[say=Well met]]" });
    expect(plain.output_text).toBe("Well met");
    expect(plain.status).toBe("completed");
    const streamed = await openai.responses.stream({ model, input: "[[say=Well met]]" }).finalResponse();
    expect(streamed.output_text).toBe("Well met");
    expect(streamed.usage).toEqual(plain.usage);
  });

  it("reasons, calls a tool and continues with its output", async () => {
    const tools = [{ type: "function" as const, name: "get_weather", parameters, strict: false }];
    const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "weather in Rome" }];
    const include = ["reasoning.encrypted_content" as const];
    const stream = openai.responses.stream({ model: "demo-think", input, tools, include });
    const requested = await stream.finalResponse();
    expect(requested.output.map((item) => item.type)).toEqual(["reasoning", "function_call"]);
    expect((requested.output[0] as OpenAI.Responses.ResponseReasoningItem).encrypted_content).toMatch(
      /^demo/,
    );
    const call = requested.output[1] as OpenAI.Responses.ResponseFunctionToolCall;
    expect(JSON.parse(call.arguments)).toMatchObject({ city: "Rome" });
    input.push(...(requested.output as OpenAI.Responses.ResponseInputItem[]), {
      type: "function_call_output",
      call_id: call.call_id,
      output: "sunny",
    });
    const answered = await openai.responses.create({ model: "demo-chat", input, tools });
    expect(answered.output_text).toContain("sunny");
  });

  it("ends as incomplete at the token limit", async () => {
    const short = await openai.responses.create({ model, max_output_tokens: 3, input: "[[length=9]]" });
    expect(short).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
    });
  });
});

describe("generateContent", () => {
  interface Part {
    text?: string;
    thought?: boolean;
    thoughtSignature?: string;
    functionCall?: { name: string; args: object };
  }
  interface Generated {
    candidates: Array<{ content: { parts?: Part[] }; finishReason?: string }>;
    usageMetadata: { promptTokenCount: number; candidatesTokenCount?: number; totalTokenCount: number };
  }
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${upstream.url}/v1beta/models/${path}`, {
      method: "POST",
      headers: { "x-goog-api-key": "demo" },
      body: JSON.stringify(body),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const contents = (text: string) => ({ contents: [{ role: "user", parts: [{ text }] }] });
  const join = (all: Generated[]) =>
    all
      .flatMap((one) => one.candidates[0]!.content.parts ?? [])
      .map((part) => part.text ?? "")
      .join("");

  it("responds plain, as events and as one array", async () => {
    const requested = contents("[[say=Three ways to say it]]");
    const plain = JSON.parse((await post("demo-chat:generateContent", requested)).text) as Generated;
    expect(join([plain])).toBe("Three ways to say it");
    const events = (await post("demo-chat:streamGenerateContent?alt=sse", requested)).text
      .split("\r\n\r\n")
      .filter(Boolean)
      .map((frame) => JSON.parse(frame.replace(/^data: /, "")) as Generated);
    expect(join(events)).toBe("Three ways to say it");
    expect(events.at(-1)!.candidates[0]!.finishReason).toBe("STOP");
    expect(events.at(-1)!.usageMetadata).toEqual(plain.usageMetadata);
    const array = JSON.parse((await post("demo-chat:streamGenerateContent", requested)).text) as Generated[];
    expect(join(array)).toBe("Three ways to say it");
  });

  it("reasons and calls functions, and requires as many responses as calls", async () => {
    const tools = [
      { functionDeclarations: [{ name: "get_weather", parameters: { ...parameters, type: "OBJECT" } }] },
    ];
    const requested = { ...contents("weather in Paris and London"), tools };
    const made = JSON.parse((await post("demo-think:generateContent", requested)).text) as Generated;
    const parts = made.candidates[0]!.content.parts!;
    expect(parts.map((part) => part.functionCall?.args)).toMatchObject([
      undefined,
      { city: "Paris" },
      { city: "London" },
    ]);
    expect(parts[0]!.thought).toBe(true);
    expect(parts[1]!.thoughtSignature).toMatch(/^demo/);
    const response = { functionResponse: { name: "get_weather", response: { result: "fog" } } };
    const back = (count: number) => ({
      tools,
      contents: [
        ...requested.contents,
        { role: "model", parts },
        { role: "user", parts: Array.from({ length: count }, () => response) },
      ],
    });
    expect((await post("demo-chat:generateContent", back(1))).status).toBe(400);
    expect((await post("demo-chat:generateContent", back(2))).text).toContain("fog");
  });

  it("returns the retry delay in a header and in the body", async () => {
    const { status, text } = await post("demo-chat@status=429,retry-after=7:generateContent", contents("hi"));
    expect(status).toBe(429);
    expect(JSON.parse(text)).toMatchObject({
      error: { code: 429, status: "RESOURCE_EXHAUSTED", details: [{ retryDelay: "7s" }] },
    });
  });
});

it("lists its models in the format that the caller's headers indicate", async () => {
  const ids = (await openai.models.list()).data.map((one) => one.id);
  expect(ids).toContain("demo-think");
  expect((await claude.models.list()).data.map((one) => one.id)).toEqual(ids);
  const gemini = (await (await fetch(`${upstream.url}/v1beta/models`)).json()) as {
    models: Array<{ name: string }>;
  };
  expect(gemini.models[0]!.name).toBe("models/demo-chat");
});
