import { GoogleGenAI } from "@google/genai";
import { describe, expect, it } from "vitest";
import type { Wire } from "#dialects/dialect.ts";
import { clientDialects, dialects } from "#dialects/index.ts";
import type { ChatEvent, ChatRequest, ChatResponse, DialectId } from "#dialects/ir.ts";
import { listUnsupportedFields } from "#dialects/unsupported-fields.ts";
import { spendingOf } from "#dialects/usage/spending.ts";
import { GatewayError } from "#errors.ts";
import { decodeInput } from "./decode-steps.ts";
import { encodeMessages } from "./encode-steps.ts";
import { ownSteps } from "./schema.ts";

const { interactions } = clientDialects;
const upstreams = Object.keys(dialects) as DialectId[];
const ask = (fields: object) => interactions.decodeRequest({ model: "m", input: "Hi", ...fields }, {});
const sentTo = (id: DialectId, fields: object) => dialects[id].encodeRequest(ask(fields)).body;
const request = ask({});

const events: ChatEvent[] = [
  { type: "start", id: "answer-1", model: "the-model", created: 1_795_000_000 },
  { type: "reasoning", choice: 0, part: 0, text: "Two " },
  { type: "reasoning", choice: 0, part: 0, text: "cities." },
  { type: "reasoning-proof", choice: 0, part: 0, signature: "c2ln", origin: "anthropic" },
  { type: "text", choice: 0, part: 1, text: "Let me look." },
  { type: "citation", choice: 0, part: 1, citation: { url: "https://example.com", citedText: "look" } },
  {
    type: "media",
    choice: 0,
    part: 2,
    media: { type: "image", source: { type: "data", mediaType: "image/png", data: "AA==" } },
  },
  { type: "tool-call", choice: 0, part: 3, id: "call_a", name: "weather", signature: "cHJvb2Y=" },
  { type: "tool-input", choice: 0, part: 3, text: '{"city":' },
  { type: "tool-call", choice: 0, part: 4, id: "call_b", name: "time" },
  { type: "tool-input", choice: 0, part: 4, text: '{"zone":"CET"' },
  { type: "tool-input", choice: 0, part: 3, text: '"Paris"}' },
  { type: "tool-input", choice: 0, part: 4, text: "}" },
  { type: "stop", choice: 0, reason: "tool-calls" },
  { type: "finish", usage: { input: 120, output: 40, cacheRead: 20, reasoning: 5 } },
];

const answer: ChatResponse = {
  id: "answer-1",
  model: "the-model",
  created: 1_795_000_000,
  choices: [
    {
      index: 0,
      finish: "tool-calls",
      parts: [
        { type: "reasoning", text: "Two cities.", signature: "c2ln", origin: "anthropic" },
        {
          type: "text",
          text: "Let me look.",
          citations: [{ url: "https://example.com", citedText: "look" }],
        },
        { type: "image", source: { type: "data", mediaType: "image/png", data: "AA==" } },
        {
          type: "tool-call",
          id: "call_a",
          name: "weather",
          input: '{"city":"Paris"}',
          signature: "cHJvb2Y=",
        },
        { type: "tool-call", id: "call_b", name: "time", input: '{"zone":"CET"}' },
      ],
    },
  ],
  usage: { input: 120, output: 40, cacheRead: 20, reasoning: 5 },
};

function streamed(list: ChatEvent[] = events): string {
  const encode = interactions.encodeStream(request);
  return list.map((event) => encode(event).text).join("");
}

const withoutId = ({ id: _id, ...rest }: Wire) => rest;

describe("the response of an interaction", () => {
  it("is the same streamed and complete, with all its parts", () => {
    const whole = interactions.encodeResponse(answer, request);
    const text = streamed();
    const line = /^data: (\{"event_type":"interaction\.completed".*)$/m.exec(text)?.[1] ?? "";
    const { interaction } = JSON.parse(line) as { interaction: Wire };
    expect(withoutId(interaction)).toEqual(withoutId(JSON.parse(JSON.stringify(whole)) as Wire));
    expect(whole).toMatchObject({
      status: "requires_action",
      steps: [
        {
          type: "thought",
          summary: [{ type: "text", text: "Two cities." }],
          signature: expect.stringMatching(/^proof:/),
        },
        {
          type: "model_output",
          content: [
            {
              type: "text",
              text: "Let me look.",
              annotations: [{ type: "url_citation", start_index: 7, end_index: 11 }],
            },
            { type: "image", data: "AA==", mime_type: "image/png" },
          ],
        },
        { type: "thought", signature: "cHJvb2Y=" },
        { type: "function_call", id: "call_a", name: "weather", arguments: { city: "Paris" } },
        { type: "function_call", id: "call_b", name: "time", arguments: { zone: "CET" } },
      ],
      usage: { total_input_tokens: 120, total_output_tokens: 35, total_thought_tokens: 5, total_tokens: 160 },
    });
  });

  it("returns as input with its text, calls and proofs", () => {
    const { steps } = interactions.encodeResponse(answer, request) as { steps: Wire[] };
    const [message, ...others] = decodeInput(JSON.parse(JSON.stringify(steps)) as Wire[]);
    expect(others).toEqual([]);
    expect(message).toMatchObject({ role: "assistant" });
    expect(message?.parts).toMatchObject([
      { type: "reasoning", text: "Two cities.", signature: "c2ln", origin: "anthropic" },
      { type: "text", text: "Let me look." },
      { type: "image" },
      { type: "reasoning", text: "", signature: "cHJvb2Y=" },
      { type: "tool-call", id: "call_a", input: '{"city":"Paris"}' },
      { type: "tool-call", id: "call_b" },
    ]);
    expect(encodeMessages([message ?? { role: "user", parts: [] }])).toMatchObject(steps);
  });

  it.each([
    ["stop", "completed"],
    ["tool-calls", "requires_action"],
    ["length", "incomplete"],
    ["pause", "incomplete"],
    ["content-filter", "failed"],
    ["refusal", "failed"],
  ] as const)("that ended with %s is %s", (finish, status) => {
    const choices = [{ index: 0, finish, parts: [{ type: "text" as const, text: "a" }] }];
    const whole = interactions.encodeResponse({ ...answer, choices }, request);
    expect(whole).toMatchObject({ status });
    expect(whole["errors"] !== undefined).toBe(status === "failed");
  });

  it("of code that Google ran keeps the code and its result", () => {
    const fields = [
      { executableCode: { language: "PYTHON", code: "1+1" } },
      { codeExecutionResult: { outcome: "OUTCOME_OK", output: "2" } },
    ];
    const parts = fields.map((each) => ({
      type: "foreign" as const,
      extra: { dialect: "gemini" as const, fields: each },
    }));
    const { steps } = interactions.encodeResponse(
      { ...answer, choices: [{ index: 0, finish: "stop", parts }] },
      request,
    );
    expect(steps).toEqual([
      { type: "code_execution_call", id: "code_1", arguments: { code: "1+1", language: "python" } },
      { type: "code_execution_result", call_id: "code_1", result: "2" },
    ]);
    expect(decodeInput(steps as Wire[])[0]?.parts).toMatchObject(parts);
  });

  it("reaches Google's library, whose stream ends with our error", async () => {
    const failed = new GatewayError("upstream_failed", { reason: "upstream_broke_off" });
    const text = streamed(events.slice(0, 6)) + interactions.encodeStreamError(failed, "req-1");
    const google = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: "http://gateway.test" } });
    const usual = globalThis.fetch;
    globalThis.fetch = () =>
      Promise.resolve(new Response(text, { headers: { "content-type": "text/event-stream" } }));
    try {
      const types: string[] = [];
      let last: unknown;
      for await (const event of await google.interactions.create({ model: "m", input: "Hi", stream: true })) {
        types.push(event.event_type);
        last = event;
      }
      expect(types.slice(0, 3)).toEqual(["interaction.created", "interaction.status_update", "step.start"]);
      expect(last).toMatchObject({ event_type: "error", error: { code: "upstream_failed" } });
    } finally {
      globalThis.fetch = usual;
    }
  });
});

describe("the request for an interaction", () => {
  it("reaches Gemini with everything that only Google has", () => {
    const body = sentTo("gemini", {
      tools: [
        { type: "function", name: "f", parameters: { type: "OBJECT" } },
        { type: "google_search", search_types: ["web_search", "image_search"] },
        { type: "google_maps", latitude: 1, longitude: 2 },
        { type: "url_context" },
        { type: "file_search", file_search_store_names: ["stores/a"], top_k: 3 },
        { type: "computer_use", environment: "browser" },
        { type: "mcp_server", name: "s", url: "https://mcp.example" },
        { type: "code_execution" },
      ],
      generation_config: {
        tool_choice: { allowed_tools: { mode: "any", tools: ["f"] } },
        speech_config: [{ voice: "Kore", language: "de-DE" }],
      },
      response_format: [{ type: "audio" }, { type: "image", aspect_ratio: "1:1", image_size: "2K" }],
      safety_settings: [{ type: "harassment", threshold: "block_none" }],
      cached_content: "cachedContents/a",
      service_tier: "flex",
    });
    expect(body).toMatchObject({
      tools: [
        { functionDeclarations: [{ name: "f", parametersJsonSchema: { type: "object" } }] },
        { googleSearch: { searchTypes: { webSearch: {}, imageSearch: {} } } },
        { googleMaps: {} },
        { urlContext: {} },
        { fileSearch: { fileSearchStoreNames: ["stores/a"], topK: 3 } },
        { computerUse: { environment: "ENVIRONMENT_BROWSER" } },
        { mcpServers: [{ name: "s", streamableHttpTransport: { url: "https://mcp.example" } }] },
        { codeExecution: {} },
      ],
      toolConfig: {
        functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["f"] },
        retrievalConfig: { latLng: { latitude: 1, longitude: 2 } },
      },
      generationConfig: {
        responseModalities: ["AUDIO", "IMAGE"],
        imageConfig: { aspectRatio: "1:1", imageSize: "2K" },
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } }, languageCode: "de-DE" },
      },
      safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }],
      cachedContent: "cachedContents/a",
      serviceTier: "flex",
    });
  });

  it.each(upstreams)("reaches %s with its settings, tools and schema", (id) => {
    const body = {
      system_instruction: "Be brief.",
      tools: [
        { type: "function", name: "f", description: "Finds", parameters: { type: "object", properties: {} } },
      ],
      generation_config: {
        max_output_tokens: 77,
        temperature: 0.5,
        tool_choice: "any",
        thinking_level: "high",
      },
      response_format: {
        type: "text",
        mime_type: "application/json",
        schema: { type: "object", properties: {} },
      },
    };
    const again = dialects[id].decodeRequest(sentTo(id, body), { model: "m" });
    expect(again).toMatchObject({
      maxOutputTokens: 77,
      temperature: 0.5,
      toolChoice: { type: "required" },
      responseFormat: { type: "json-schema" },
    });
    expect(again.tools).toMatchObject([{ name: "f", description: "Finds" }]);
    expect(JSON.stringify(again.messages)).toContain("Be brief.");
  });

  it("may contain results of functions among the contents of a step, as the Vercel AI SDK sends them", () => {
    const result = {
      type: "function_result",
      call_id: "c",
      name: "f",
      result: [{ type: "text", text: "21" }],
    };
    const input = [{ type: "user_input", content: [result, { type: "text", text: "Hi" }] }];
    expect(ask({ input }).messages).toEqual([
      {
        role: "tool",
        parts: [{ type: "tool-result", callId: "c", name: "f", parts: [{ type: "text", text: "21" }] }],
      },
      { role: "user", parts: [{ type: "text", text: "Hi" }] },
    ]);
  });

  it("accepts every form of input and of formats", () => {
    const hi: ChatRequest["messages"] = [{ role: "user", parts: [{ type: "text", text: "Hi" }] }];
    const text = { type: "text", text: "Hi" };
    const forms = [
      "Hi",
      text,
      [text],
      [{ type: "user_input", content: [text] }],
      [{ role: "user", content: "Hi" }],
    ];
    for (const input of forms) expect(ask({ input }).messages).toEqual(hi);
    const schema = { type: "object", properties: {} };
    const expected = { type: "json-schema", schema };
    expect(ask({ response_format: schema, response_mime_type: "application/json" }).responseFormat).toEqual(
      expected,
    );
    expect(ask({ response_format: [{ type: "text", schema }] }).responseFormat).toEqual(expected);
    expect(ask({ response_mime_type: "application/json" }).responseFormat).toEqual({ type: "json" });
  });

  it("names what is not sent", () => {
    const body = {
      model: "m",
      input: [
        { type: "user_input", content: [{ type: "text", text: "Hi", mood: "good" }] },
        ...ownSteps.map((type) => ({ type, id: "a", call_id: "a" })),
        { type: "model_output", content: [{ type: "text", text: "Yes" }], place: 1 },
      ],
      generation_config: { thinking_level: "galactic", video_config: {} },
      labels: { a: "b" },
      wishes: 3,
    };
    const request = interactions.decodeRequest(body, {});
    expect(request.messages).toHaveLength(2);
    expect(listUnsupportedFields({ client: interactions, request, body }, "gemini").toSorted()).toEqual(
      [
        "generation_config.thinking_level",
        "generation_config.video_config",
        "input.content.mood",
        "input.place",
        ...ownSteps.map((type) => `input.${type}`),
        "labels",
        "wishes",
      ].toSorted(),
    );
  });

  it("is reserved with the cost of sound, images, tools and stored content", () => {
    const spent = (fields: object) => {
      const body = { model: "m", input: "Hi", ...fields };
      return spendingOf(body, interactions.decodeRequest(body, {}));
    };
    expect(spent({})).toMatchObject({ audio: false, image: false, unseen: false });
    expect(spent({ response_modalities: ["audio"] })).toMatchObject({ audio: true });
    // Fields of other formats, which this one ignores, hide nothing.
    expect(spent({ modalities: [], response_modalities: ["audio"] })).toMatchObject({ audio: true });
    expect(
      spent({
        generationConfig: { responseModalities: [], speechConfig: 1 },
        generation_config: { speech_config: [{ voice: "Kore" }] },
      }),
    ).toMatchObject({ audio: true });
    expect(spent({ response_format: [{ type: "image" }] })).toMatchObject({ image: true });
    expect(spent({ generation_config: { speech_config: [{ voice: "Kore" }] } })).toMatchObject({
      audio: true,
    });
    expect(spent({ tools: [{ type: "google_search" }, { type: "url_context" }] })).toMatchObject({
      toolCalls: { "web-search": 5, "web-fetch": 5 },
      unseen: true,
    });
    expect(spent({ cached_content: "cachedContents/a" })).toMatchObject({ storedTokens: 10_000 });
  });

  const cases: [fields: object, path: string][] = [
    [{ model: 7 }, "model"],
    [{ model: "" }, "model"],
    [{ input: 7 }, "input"],
    [{ input: [] }, "input"],
    [{ input: "" }, "input"],
    [{ input: ["Hi"] }, "input"],
    [{ input: [{}] }, "input.0.type"],
    [{ input: { type: "poem" } }, "input.type"],
    [{ input: [{ type: "text" }] }, "input.0.text"],
    [{ input: [{ type: "image" }] }, "input.0.data"],
    [{ input: [{ type: "image", data: 7 }] }, "input.0.data"],
    [{ input: [{ type: "user_input", content: "Hi" }] }, "input.0.content"],
    [{ input: [{ type: "user_input", content: [{ type: "thought" }] }] }, "input.0.content.0.type"],
    [{ input: [{ type: "function_call", name: "f" }] }, "input.0.id"],
    [{ input: [{ type: "function_call", id: "c", name: "f", arguments: "{}" }] }, "input.0.arguments"],
    [{ input: [{ type: "function_result", result: "r" }] }, "input.0.call_id"],
    [{ input: [{ type: "function_result", call_id: "c", result: 7 }] }, "input.0.result"],
    [{ input: [{ role: "robot", content: "Hi" }] }, "input.0.role"],
    [{ stream: "yes" }, "stream"],
    [{ store: "yes" }, "store"],
    [{ system_instruction: 7 }, "system_instruction"],
    [{ tools: {} }, "tools"],
    [{ tools: [{ type: "function" }] }, "tools.0.name"],
    [{ tools: [{ type: "retrieval" }] }, "tools.0.type"],
    [{ tools: [{ type: "function", name: "f", parameters: "x" }] }, "tools.0.parameters"],
    [{ generation_config: 7 }, "generation_config"],
    [{ generation_config: { max_output_tokens: -1 } }, "generation_config.max_output_tokens"],
    [{ generation_config: { temperature: 3 } }, "generation_config.temperature"],
    [{ generation_config: { stop_sequences: "x" } }, "generation_config.stop_sequences"],
    [{ generation_config: { tool_choice: 7 } }, "generation_config.tool_choice"],
    [{ response_format: "json" }, "response_format"],
    [{ response_format: { type: "video" } }, "response_format.type"],
    [{ response_format: [{ type: "text", schema: "x" }] }, "response_format.0.schema"],
    [{ response_modalities: "text" }, "response_modalities"],
    [{ safety_settings: [{}] }, "safety_settings.0.type"],
    [{ agent: "deep-research-preview-04-2026" }, "agent"],
    [{ background: true }, "background"],
    [{ environment: "env_1" }, "environment"],
    [{ webhook_config: {} }, "webhook_config"],
    [{ continuation_token: "t" }, "continuation_token"],
    [{ previous_interaction_id: 7 }, "previous_interaction_id"],
  ];
  it.each(cases)("with %j is refused at %s", (fields, path) => {
    let error: unknown;
    try {
      ask(fields);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(GatewayError);
    const { status, param, params } = error as GatewayError;
    expect(status).toBe(400);
    expect(param ?? params["field"]).toBe(path);
  });
});
