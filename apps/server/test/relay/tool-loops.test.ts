import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { type CallableTool, GoogleGenAI, Type } from "@google/genai";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/**
 * The official clients' automatic tool loops: they keep the conversation, call the tools and send the
 * results.
 */
let gateway: TestGateway;
let key: string;

/** A reasoning model per upstream dialect. One channel of that dialect serves it. */
const types = { "chat-think": 8, "anthropic-think": 14, "gemini-think": 25 };
const models = Object.keys(types);

beforeAll(async () => {
  gateway = await startTestGateway();
  for (const [model, type] of Object.entries(types))
    await gateway.addChannel({
      type,
      name: model,
      models: [model],
      model_mapping: { [model]: "demo-think" },
    });
  key = (await gateway.addToken()).key;
});
afterAll(() => gateway.stop());

const question = "What is the weather in Paris? Use get_weather.";
const result = "21 degrees and sunny";
const name = "get_weather";
const description = "The weather of a city.";
const properties = { city: { type: "string" } } as const;

it.each(models)("OpenAI's client completes its loop with %s", async (model) => {
  const loop = gateway.openai(key).chat.completions.runTools({
    model,
    stream: true,
    messages: [{ role: "user", content: question }],
    tools: [
      {
        type: "function",
        function: {
          name,
          description,
          parameters: { type: "object", properties },
          parse: JSON.parse,
          function: () => result,
        },
      },
    ],
  });
  expect(await loop.finalContent()).toContain(result);
});

it.each(models)(
  "Anthropic's client completes its loop with %s, although no provider stores the conversation",
  async (model) => {
    const tool = betaTool({
      name,
      description,
      inputSchema: { type: "object", properties },
      run: () => result,
    });
    const last = await gateway.anthropic(key).beta.messages.toolRunner({
      model,
      max_tokens: 4_000,
      thinking: { type: "enabled", budget_tokens: 1_024 },
      messages: [{ role: "user", content: question }],
      tools: [tool],
    });
    expect(JSON.stringify(last.content)).toContain(result);
  },
);

it.each(["chat-think", "anthropic-think"])("Google's client streams its loop with %s", async (model) => {
  const tool: CallableTool = {
    tool: () =>
      Promise.resolve({
        functionDeclarations: [
          {
            name,
            description,
            parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } } },
          },
        ],
      }),
    callTool: (calls) =>
      Promise.resolve(
        calls.map(({ id, name: called }) => ({
          functionResponse: {
            ...(id !== undefined && { id }),
            ...(called !== undefined && { name: called }),
            response: { result },
          },
        })),
      ),
  };
  const google = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: gateway.url } });
  const stream = await google.models.generateContentStream({
    model,
    contents: question,
    config: { tools: [tool], thinkingConfig: { includeThoughts: true, thinkingBudget: 1_024 } },
  });
  const output: string[] = [];
  for await (const { candidates } of stream)
    for (const part of candidates?.[0]?.content?.parts ?? []) output.push(part.text ?? "");
  expect(output.join("")).toContain(result);
});
