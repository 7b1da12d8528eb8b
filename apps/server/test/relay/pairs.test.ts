import type { ChannelRow } from "@gateway/shared/channels/channel";
import { type FunctionCall, FunctionCallingConfigMode, GoogleGenAI, Type } from "@google/genai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/**
 * Every client dialect with every upstream dialect, using the official clients: plain, streamed, and with a
 * tool call whose result is sent back.
 */
let gateway: TestGateway;
let key: string;

/** A model name per upstream dialect. One channel of that dialect serves it. */
const upstreams = {
  chat: "to-chat",
  responses: "to-responses",
  anthropic: "to-anthropic",
  gemini: "to-gemini",
} as const;
const types = { chat: 8, responses: 1, anthropic: 14, gemini: 25 } as const;
/** OpenAI has Codex's models in Responses only. */
const modelOf = (upstream: string) => (upstream === "responses" ? "gpt-5.3-codex" : "demo-chat");

beforeAll(async () => {
  gateway = await startTestGateway();
  for (const [name, model] of Object.entries(upstreams)) {
    await gateway.addChannel({
      type: types[name as keyof typeof types],
      name,
      models: [model],
      model_mapping: { [model]: modelOf(name) },
    });
  }
  key = (await gateway.addToken()).key;
});
afterAll(() => gateway.stop());

const question = "What is the weather in Paris? Use get_weather.";
const result = "21 degrees and sunny";
const schema = {
  type: "object" as const,
  properties: { city: { type: "string" } },
  required: ["city"],
};

interface Client {
  /** Returns the text of a non-streamed response, and its tokens as this client reports them. */
  plain(model: string): Promise<{ text: string; tokens: number }>;
  streamed(model: string): Promise<string>;
  /** Calls the tool, sends its result, and returns the final text. */
  tool(model: string): Promise<string>;
}

const openaiChat: Client = {
  async plain(model) {
    const answer = await gateway
      .openai(key)
      .chat.completions.create({ model, messages: [{ role: "user", content: "Hello" }] });
    return { text: answer.choices[0]?.message.content ?? "", tokens: answer.usage?.total_tokens ?? 0 };
  },
  async streamed(model) {
    const stream = gateway
      .openai(key)
      .chat.completions.stream({ model, messages: [{ role: "user", content: "Hello" }] });
    return (await stream.finalContent()) ?? "";
  },
  async tool(model) {
    const client = gateway.openai(key);
    const tools = [{ type: "function" as const, function: { name: "get_weather", parameters: schema } }];
    const messages = [{ role: "user" as const, content: question }];
    const first = await client.chat.completions.stream({ model, messages, tools }).finalMessage();
    const call = first.tool_calls?.[0];
    if (call === undefined) return "no call";
    const second = await client.chat.completions.create({
      model,
      tools,
      messages: [...messages, first, { role: "tool", tool_call_id: call.id, content: result }],
    });
    return second.choices[0]?.message.content ?? "";
  },
};

const openaiResponses: Client = {
  async plain(model) {
    const answer = await gateway.openai(key).responses.create({ model, input: "Hello" });
    return { text: answer.output_text, tokens: answer.usage?.total_tokens ?? 0 };
  },
  async streamed(model) {
    return (await gateway.openai(key).responses.stream({ model, input: "Hello" }).finalResponse())
      .output_text;
  },
  async tool(model) {
    const client = gateway.openai(key);
    const tools = [{ type: "function" as const, name: "get_weather", parameters: schema, strict: false }];
    const first = await client.responses.stream({ model, input: question, tools }).finalResponse();
    const call = first.output.find((item) => item.type === "function_call");
    if (call === undefined) return "no call";
    const second = await client.responses.create({
      model,
      tools,
      input: [
        { role: "user", content: question },
        { type: "function_call", call_id: call.call_id, name: call.name, arguments: call.arguments },
        { type: "function_call_output", call_id: call.call_id, output: result },
      ],
    });
    return second.output_text;
  },
};

const anthropic: Client = {
  async plain(model) {
    const answer = await gateway.anthropic(key).messages.create({
      model,
      max_tokens: 300,
      messages: [{ role: "user", content: "Hello" }],
    });
    const text = answer.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    return { text, tokens: answer.usage.input_tokens + answer.usage.output_tokens };
  },
  async streamed(model) {
    const stream = gateway.anthropic(key).messages.stream({
      model,
      max_tokens: 300,
      messages: [{ role: "user", content: "Hello" }],
    });
    return await stream.finalText();
  },
  async tool(model) {
    const client = gateway.anthropic(key);
    const tools = [{ name: "get_weather", input_schema: schema }];
    const ask = { model, max_tokens: 300, tools };
    const first = await client.messages
      .stream({ ...ask, messages: [{ role: "user", content: question }] })
      .finalMessage();
    const call = first.content.find((block) => block.type === "tool_use");
    if (call === undefined) return "no call";
    const second = await client.messages.create({
      ...ask,
      messages: [
        { role: "user", content: question },
        { role: "assistant", content: first.content },
        { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: result }] },
      ],
    });
    return second.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  },
};

function google(): GoogleGenAI {
  return new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: gateway.url } });
}

const gemini: Client = {
  async plain(model) {
    const answer = await google().models.generateContent({ model, contents: "Hello" });
    return { text: answer.text ?? "", tokens: answer.usageMetadata?.totalTokenCount ?? 0 };
  },
  async streamed(model) {
    // A chat keeps a turn in its history only if each of its chunks has a part and the stream has a finish reason.
    const chat = google().chats.create({ model });
    let text = "";
    for await (const chunk of await chat.sendMessageStream({ message: "Hello" })) text += chunk.text ?? "";
    const kept = chat.getHistory(true).flatMap(({ role, parts }) => (role === "model" ? (parts ?? []) : []));
    expect(kept.map((part) => part.text ?? "").join("")).toBe(text);
    return text;
  },
  async tool(model) {
    const config = {
      tools: [
        {
          functionDeclarations: [
            {
              name: "get_weather",
              parameters: {
                type: Type.OBJECT,
                properties: { city: { type: Type.STRING } },
                required: ["city"],
              },
            },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.AUTO } },
    };
    const chat = google().chats.create({ model, config });
    let call: FunctionCall | undefined;
    for await (const chunk of await chat.sendMessageStream({ message: question }))
      call ??= chunk.functionCalls?.[0];
    if (call === undefined) return "no call";
    const { id, name } = call;
    const second = await chat.sendMessage({
      message: [{ functionResponse: { id, name, response: { output: result } } }],
    });
    return second.text ?? "";
  },
};

const clients: Record<string, Client> = {
  "openai chat": openaiChat,
  "openai responses": openaiResponses,
  anthropic,
  gemini,
};
const pairs = Object.keys(clients).flatMap((client) =>
  Object.keys(upstreams).map((upstream) => [client, upstream as keyof typeof upstreams] as const),
);

describe.each(pairs)("a client of %s with an upstream of %s", (name, upstream) => {
  const client = clients[name]!;
  const model = upstreams[upstream];

  it("receives a response with its tokens", async () => {
    const answer = await client.plain(model);
    expect(answer.text.length).toBeGreaterThan(5);
    expect(answer.tokens).toBeGreaterThan(0);
  });

  it("receives a streamed response of the same kind", async () => {
    expect((await client.streamed(model)).length).toBeGreaterThan(5);
  });

  it("calls a tool and continues with its result", async () => {
    expect(await client.tool(model)).toContain("21 degrees");
  });
});

describe("a client of OpenAI Responses with an upstream of the same dialect", () => {
  it("is passed through unchanged", async () => {
    const demo = await gateway.api<ChannelRow>("POST", "/channel", {
      type: 900,
      name: "native",
      models: ["native"],
      model_mapping: { native: "demo-chat" },
      groups: ["default"],
    });
    expect(demo.id).toBeGreaterThan(0);
    expect((await openaiResponses.plain("native")).text.length).toBeGreaterThan(5);
    expect(await openaiResponses.streamed("native")).toBeTruthy();
    expect(await openaiResponses.tool("native")).toContain("21 degrees");
  });
});

describe("after all calls", () => {
  it("the ledger is consistent", async () => {
    expect(await gateway.drift()).toBe(0n);
  });
});
