import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { GoogleGenAI } from "@google/genai";
import { generateText, stepCountIs, streamText, tool } from "ai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Google's Interactions API with its official client, over providers of each dialect. */
let gateway: TestGateway;
let key: string;
let google: GoogleGenAI;

const channels = { chat: 8, responses: 1, anthropic: 14, gemini: 25 } as const;
const models = Object.keys(channels).map((name) => `to-${name}`);

beforeAll(async () => {
  gateway = await startTestGateway();
  for (const [name, type] of Object.entries(channels)) {
    const model = `to-${name}`;
    await gateway.addChannel({ type, name, models: [model], model_mapping: { [model]: "demo-chat" } });
    await gateway.addPrice(model);
  }
  ({ key } = await gateway.addToken({ unlimited_quota: true }));
  google = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: gateway.url } });
});
afterAll(async () => {
  expect(await gateway.drift()).toBe(0n);
  await gateway.stop();
});

type Params = Parameters<GoogleGenAI["interactions"]["create"]>[0];
type Fields = { model: string; input: unknown } & Record<string, unknown>;

interface Collected {
  id: string;
  status: string;
  text: string;
  steps: Array<Record<string, unknown>>;
  types: string[];
  tokens: number;
}

const sentLast = () => JSON.stringify(gateway.upstream.calls().at(-1)?.body);

async function whole(fields: Fields): Promise<Collected> {
  const made = await google.interactions.create(fields as unknown as Params & { stream?: false });
  const steps = (made.steps ?? []) as unknown as Collected["steps"];
  return {
    id: made.id,
    status: made.status,
    text: made.output_text ?? "",
    steps,
    types: steps.map((step) => String(step["type"])),
    tokens: made.usage?.total_tokens ?? 0,
  };
}

/** Collects a stream from its deltas only, and expects its end to contain the same. */
async function streamed(fields: Fields): Promise<Collected> {
  const found: Collected = { id: "", status: "", text: "", steps: [], types: [], tokens: 0 };
  const open = new Set<number>();
  const params = { ...fields, stream: true } as unknown as Params & { stream: true };
  for await (const event of await google.interactions.create(params)) {
    switch (event.event_type) {
      case "interaction.created":
        expect(event.interaction.status).toBe("in_progress");
        found.id = event.interaction.id;
        break;
      case "step.start":
        expect(event.index).toBe(found.steps.length);
        open.add(event.index);
        found.steps.push({ ...event.step });
        found.types.push(event.step.type);
        break;
      case "step.delta": {
        expect(open.has(event.index)).toBe(true);
        const step = found.steps[event.index] ?? {};
        const { delta } = event;
        if (delta.type === "text") found.text += delta.text;
        if (delta.type === "arguments_delta")
          step["input"] = `${(step["input"] as string | undefined) ?? ""}${delta.arguments ?? ""}`;
        break;
      }
      case "step.stop":
        open.delete(event.index);
        break;
      case "interaction.completed":
        expect(open.size).toBe(0);
        expect(event.interaction.id).toBe(found.id);
        found.status = event.interaction.status;
        found.tokens = event.interaction.usage?.total_tokens ?? 0;
        expect((event.interaction.steps ?? []).map((step) => step.type)).toEqual(found.types);
        break;
      default:
    }
  }
  for (const step of found.steps)
    if (typeof step["input"] === "string") step["arguments"] = JSON.parse(step["input"]) as unknown;
  return found;
}

const modes = { whole, streamed } as const;
const all = models.flatMap((model) => (["whole", "streamed"] as const).map((mode) => [model, mode] as const));

const weather = {
  type: "function" as const,
  name: "get_weather",
  description: "Weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe("an interaction", () => {
  it.each(all)("is created, billed and stored, and continued (%s, %s)", async (model, mode) => {
    const first = await modes[mode]({
      model,
      input: "My name is Ada.",
      system_instruction: "Be brief.",
      generation_config: { max_output_tokens: 200, stop_sequences: ["###"] },
    });
    expect(first).toMatchObject({ status: "completed", id: expect.stringMatching(/^int_[0-9a-f]{48}$/) });
    expect(first.types).toEqual(["model_output"]);
    expect(first.text.length).toBeGreaterThan(0);
    expect(sentLast()).toContain("Be brief.");
    const second = await modes[mode]({ model, input: "What is my name?", previous_interaction_id: first.id });
    expect(sentLast()).toContain("My name is Ada.");
    expect(sentLast()).toContain(JSON.stringify(first.text.slice(0, 20)).slice(1, -1));
    expect(sentLast()).not.toContain("Be brief.");
    const bills = async () =>
      (await gateway.logs()).map((row) => ({
        tokens: row.prompt_tokens + row.completion_tokens,
        paid: row.quota > 0,
      }));
    await expect.poll(bills).toContainEqual({ tokens: second.tokens, paid: true });
    const stored = await google.interactions.get(second.id, { include_input: true });
    expect(stored).toMatchObject({
      id: second.id,
      output_text: second.text,
      previous_interaction_id: first.id,
      input: [{ type: "user_input", content: [{ type: "text", text: "What is my name?" }] }],
    });
  });

  it.each(all)("calls a tool and receives its result (%s, %s)", async (model, mode) => {
    const tools = [weather];
    const first = await modes[mode]({
      model,
      tools,
      input: "What is the weather in Paris? Use get_weather.",
      generation_config: { tool_choice: "any" },
    });
    expect(first.status).toBe("requires_action");
    const call = first.steps.find((step) => step["type"] === "function_call");
    expect(call).toMatchObject({ name: "get_weather", arguments: expect.any(Object) });
    const input = [
      {
        type: "function_result",
        call_id: String(call?.["id"]),
        name: "get_weather",
        result: [{ type: "text", text: "21 degrees and sunny" }],
      },
    ];
    const second = await modes[mode]({ model, tools, input, previous_interaction_id: first.id });
    expect(second.status).toBe("completed");
    expect(second.text.length).toBeGreaterThan(0);
    expect(sentLast()).toContain("21 degrees and sunny");
  });

  it.each(all)("takes its whole history as steps when nothing is stored (%s, %s)", async (model, mode) => {
    const made = await modes[mode]({
      model,
      store: false,
      tools: [weather],
      input: [
        { type: "user_input", content: [{ type: "text", text: "What is the weather?" }] },
        { type: "thought", summary: [{ type: "text", text: "A city is needed." }] },
        { type: "function_call", id: "call_1", name: "get_weather", arguments: { city: "Paris" } },
        { type: "function_result", call_id: "call_1", name: "get_weather", result: { degrees: 21 } },
        { type: "user_input", content: [{ type: "text", text: "And now?" }] },
      ],
    });
    expect(made.text.length).toBeGreaterThan(0);
    expect(sentLast()).toContain("Paris");
    expect(sentLast()).toContain("degrees");
    await expect(google.interactions.get(made.id)).rejects.toMatchObject({ status: 404 });
  });

  it.each(all)("receives images, documents and thinking (%s, %s)", async (model, mode) => {
    const made = await modes[mode]({
      model,
      input: [
        { type: "text", text: "What is in this image?" },
        { type: "image", data: png, mime_type: "image/png" },
        { type: "document", data: "JVBERi0xLjQK", mime_type: "application/pdf" },
      ],
      generation_config: { thinking_level: "low", thinking_summaries: "auto", max_output_tokens: 4_000 },
    });
    expect(made.text.length).toBeGreaterThan(0);
    expect(sentLast()).toContain(png);
    expect(sentLast()).toContain("JVBERi0xLjQK");
    if (model === "to-chat") return;
    expect(made.types.slice(0, 2)).toEqual(["thought", "model_output"]);
    // The proof of the thinking returns to the provider with the next interaction.
    await modes[mode]({ model, input: "Go on", previous_interaction_id: made.id });
    if (model === "to-anthropic") expect(sentLast()).toContain('"type":"thinking"');
  });
});

describe("the Vercel AI SDK on interactions", () => {
  it.each(all)("runs a tool loop (%s, %s)", async (model, mode) => {
    const own = createGoogleGenerativeAI({ baseURL: `${gateway.url}/v1beta`, apiKey: key });
    const request = {
      model: own.interactions(model),
      prompt: "What is the weather in Paris? Use get_weather.",
      maxRetries: 0,
      stopWhen: stepCountIs(3),
      tools: {
        get_weather: tool({
          description: "Weather of a city",
          inputSchema: z.object({ city: z.string() }),
          execute: async () => "21 degrees and sunny",
        }),
      },
    };
    const made = mode === "whole" ? await generateText(request) : streamText(request);
    const [text, reason, usage, steps] = await Promise.all([
      made.text,
      made.finishReason,
      made.totalUsage,
      made.steps,
    ]);
    expect([text, reason, steps.length]).toEqual([expect.stringContaining("21 degrees"), "stop", 2]);
    expect(usage.totalTokens).toBeGreaterThan(0);
  });
});

describe("interactions of others", () => {
  it("cannot be read, continued, cancelled or deleted, and are unknown as responses", async () => {
    const made = await google.interactions.create({ model: "to-gemini", input: "Mine." });
    const mine = { id: made.id };
    await gateway.database.db.storedResponse.update({ where: mine, data: { user_id: 999_999 } });
    const attempts = [
      () => google.interactions.get(made.id),
      () => google.interactions.cancel(made.id),
      () => google.interactions.delete(made.id),
      () => google.interactions.create({ model: "to-gemini", input: "Hi", previous_interaction_id: made.id }),
    ];
    for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ status: 404 });
    expect(await gateway.database.db.storedResponse.count({ where: mine })).toBe(1);
    const owner = await gateway.database.db.token.findFirstOrThrow({ select: { user_id: true } });
    await gateway.database.db.storedResponse.update({ where: mine, data: { user_id: owner.user_id } });
    const openai = gateway.openai(key);
    await expect(openai.responses.retrieve(made.id)).rejects.toMatchObject({ status: 404 });
    await expect(
      openai.responses.create({ model: "to-chat", input: "Hi", previous_response_id: made.id }),
    ).rejects.toMatchObject({ status: 400 });
    await expect(google.interactions.cancel(made.id)).rejects.toMatchObject({ status: 400 });
    await google.interactions.delete(made.id);
    await expect(google.interactions.get(made.id)).rejects.toMatchObject({ status: 404 });
  });
});

const post = async (
  path: string,
  body: unknown,
  headers: Record<string, string> = { "x-goog-api-key": key },
) => {
  const response = await fetch(gateway.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
};

describe("a request for an interaction", () => {
  it.each(["/v1/interactions", "/v1beta/interactions", "/gemini/v1beta/interactions"])(
    "is served at %s, with the key in any place",
    async (path) => {
      const body = { model: "models/to-gemini", input: "Hi", store: false };
      const places: Record<string, string>[] = [
        { "x-goog-api-key": key },
        { authorization: `Bearer ${key}` },
      ];
      for (const headers of places) expect(await post(path, body, headers)).toMatchObject({ status: 200 });
      expect(await post(`${path}?key=${key}`, body, {})).toMatchObject({ status: 200 });
    },
  );

  it.each([
    ["no key", {}, 401, "UNAUTHENTICATED"],
    ["a wrong key", { "x-goog-api-key": "sk-wrong" }, 401, "UNAUTHENTICATED"],
  ])("is refused in Google's format with %s", async (_title, headers, status, name) => {
    for (const path of ["/v1/interactions", "/v1beta/interactions"]) {
      const answer = await post(path, { model: "to-gemini", input: "Hi" }, headers);
      expect(answer.status).toBe(status);
      expect(JSON.parse(answer.text)).toMatchObject({ error: { code: status, status: name } });
    }
  });

  it.each([
    ["an agent", { agent: "deep-research-preview-04-2026", input: "Hi" }, "Agents are not served."],
    ["a background call", { model: "to-gemini", input: "Hi", background: true }, '"background"'],
    ["a sandbox", { model: "to-gemini", input: "Hi", environment: { type: "remote" } }, '"environment"'],
    ["an unknown step", { model: "to-gemini", input: [{ type: "dance" }] }, "input.0.type"],
    ["an unknown tool", { model: "to-gemini", input: "Hi", tools: [{ type: "teleport" }] }, "tools.0.type"],
    ["an empty image", { model: "to-gemini", input: [{ type: "image" }] }, "input.0.data"],
    ["no input", { model: "to-gemini" }, "input"],
    ["no model", { input: "Hi" }, "model"],
    ["a repeated field", '{"model":"to-gemini","input":"a","input":"b"}', "input"],
    ["a field in capitals", { model: "to-gemini", input: "Hi", Store: true }, "Store"],
    [
      "a NUL in the id",
      { model: "to-gemini", input: "Hi", previous_interaction_id: "\0" },
      "previous_interaction_id",
    ],
    [
      "a long id",
      { model: "to-gemini", input: "Hi", previous_interaction_id: "x".repeat(500) },
      "previous_interaction_id",
    ],
  ])("with %s is refused with 400 in Google's format", async (_title, body, named) => {
    const calls = gateway.upstream.calls().length;
    const answer = await post("/v1beta/interactions", body);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toMatchObject({
      error: { code: 400, status: "INVALID_ARGUMENT", message: expect.stringContaining(named) },
    });
    expect(gateway.upstream.calls()).toHaveLength(calls);
  });

  it("is refused for an unknown model, an account without a balance, and a disabled API", async () => {
    expect(await post("/v1/interactions", { model: "unknown", input: "Hi" })).toMatchObject({ status: 404 });
    const poor = await gateway.addToken({ unlimited_quota: false, remain_quota: 1 });
    const headers = { "x-goog-api-key": poor.key };
    const refused = await post("/v1/interactions", { model: "to-gemini", input: "Hi" }, headers);
    expect(refused.status).toBe(402);
    expect(JSON.parse(refused.text)).toMatchObject({ error: { status: "FAILED_PRECONDITION" } });
  });

  it.each(models)("ends a stream that breaks off with an error event (%s)", async (model) => {
    const input = "Hi [[cut=after:3]] [[length=50]]";
    const answer = await post("/v1beta/interactions", { model, input, stream: true });
    expect(answer.status).toBe(200);
    const events = [...answer.text.matchAll(/^event: (\S+)\ndata: (.*)$/gm)];
    expect(events.at(-1)?.[1]).toBe("error");
    expect(JSON.parse(events.at(-1)?.[2] ?? "")).toMatchObject({
      event_type: "error",
      error: { code: "upstream_failed", status: "UNAVAILABLE" },
    });
  });

  it("that runs into its output limit is incomplete", async () => {
    for (const model of models) {
      const fields = { model, input: "Hi [[finish=length]]" };
      for (const mode of [whole, streamed]) expect((await mode(fields)).status).toBe("incomplete");
    }
  });
});
