import { describe, expect, it } from "vitest";
import type { Wire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";

const { "openai-responses": responses, "openai-chat": chat, anthropic, gemini } = dialects;

/** Every request field that the response repeats. */
const requested = {
  instructions: "Be brief.",
  max_output_tokens: 99,
  max_tool_calls: 3,
  metadata: { topic: "boats" },
  parallel_tool_calls: false,
  previous_response_id: "resp_1",
  prompt_cache_key: "harbour",
  reasoning: { effort: "low", summary: "auto", context: "all" },
  safety_identifier: "person-1",
  store: false,
  temperature: 0.5,
  text: { format: { type: "json_schema", name: "a", schema: { type: "object" } }, verbosity: "low" },
  tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "look" }] },
  tools: [
    { type: "function", name: "look", description: "Looks.", parameters: { type: "object" }, strict: true },
    { type: "function", name: "hear", description: null, parameters: null, strict: false },
    { type: "web_search", search_context_size: "low" },
  ],
  top_logprobs: 2,
  top_p: 0.9,
  truncation: "auto",
  user: "ada",
};

const value = chat.decodeResponse({
  id: "x",
  model: "m",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Ahoy." } }],
});

function streamed(body: Wire): Wire[] {
  const encode = responses.encodeStream(responses.decodeRequest(body, {}));
  const text = [
    encode({ type: "start", id: "x", model: "m" }).text,
    encode({ type: "text", choice: 0, part: 0, text: "Ahoy." }).text,
    encode({ type: "finish" }).text,
  ].join("");
  const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data) as Wire);
  return events.flatMap((event) => (event["response"] === undefined ? [] : [event["response"] as Wire]));
}

describe("a response object of the gateway", () => {
  it("repeats the request, in complete responses and in every response object of a stream", () => {
    const request = { model: "m", input: "Hi", ...requested };
    const whole = responses.encodeResponse(value, responses.decodeRequest(request, {}));
    const objects = [whole, ...streamed(request)];
    expect(objects).toHaveLength(4);
    for (const object of objects) expect(object).toMatchObject(requested);
  });

  it("contains the defaults of omitted fields", () => {
    const request = { model: "m", input: "Hi", tools: [{ type: "function", name: "look" }] };
    for (const object of [
      responses.encodeResponse(value, responses.decodeRequest(request, {})),
      ...streamed(request),
    ]) {
      expect(object).toMatchObject({
        background: false,
        conversation: null,
        instructions: null,
        metadata: {},
        reasoning: { effort: null, summary: null },
        store: true,
        text: { format: { type: "text" } },
        tool_choice: "auto",
        tools: [{ type: "function", name: "look", description: null, parameters: null, strict: false }],
        truncation: "disabled",
      });
    }
  });

  it("sends none of these fields to a provider", () => {
    const request = responses.decodeRequest({ model: "m", input: "Hi", ...requested }, {});
    const { repeat: _repeat, ...bare } = request;
    for (const dialect of [responses, chat, anthropic, gemini])
      expect(dialect.encodeRequest(request)).toEqual(dialect.encodeRequest(bare));
  });
});
