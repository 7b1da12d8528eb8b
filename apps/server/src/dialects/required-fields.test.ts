/**
 * Translated responses have every field that the types of the official libraries require. Generated clients
 * reject a response without one. The tables do not compile if a library requires another field.
 */
import type Anthropic from "@anthropic-ai/sdk";
import type OpenAI from "openai";
import { describe, expect, it } from "vitest";
import type { ClientDialect, Wire } from "./dialect.ts";
import { dialects } from "./index.ts";
import type { ChatEvent, ChatRequest, ChatResponse } from "./ir.ts";
import { createFrameSplitter } from "./stream/sse.ts";
import { listUnsupportedFields } from "./unsupported-fields.ts";

type RequiredKey<T> = { [K in keyof T]-?: Record<string, never> extends Pick<T, K> ? never : K }[keyof T];
type Table<T, Unlike extends RequiredKey<T> = never> = Record<Exclude<RequiredKey<T>, Unlike>, true>;

type Chat = OpenAI.Chat.Completions.ChatCompletion;
const chat: Table<Chat> = { id: true, choices: true, created: true, model: true, object: true };
const chatChoice: Table<Chat["choices"][number]> = {
  finish_reason: true,
  index: true,
  logprobs: true,
  message: true,
};
const chatMessage: Table<Chat["choices"][number]["message"]> = { content: true, refusal: true, role: true };
const chatUsage: Table<OpenAI.CompletionUsage> = {
  completion_tokens: true,
  prompt_tokens: true,
  total_tokens: true,
};
type Chunk = OpenAI.Chat.Completions.ChatCompletionChunk;
const chunk: Table<Chunk> = { id: true, choices: true, created: true, model: true, object: true };
const chunkChoice: Table<Chunk["choices"][number]> = { delta: true, finish_reason: true, index: true };

type Response = OpenAI.Responses.Response;
/** `output_text` is added by the library. */
const response: Table<Response, "output_text"> = {
  id: true,
  access_programs: true,
  created_at: true,
  error: true,
  incomplete_details: true,
  instructions: true,
  metadata: true,
  model: true,
  object: true,
  output: true,
  parallel_tool_calls: true,
  temperature: true,
  tool_choice: true,
  tools: true,
  top_p: true,
};
const responseUsage: Table<OpenAI.Responses.ResponseUsage> = {
  input_tokens: true,
  input_tokens_details: true,
  output_tokens: true,
  output_tokens_details: true,
  total_tokens: true,
};
const inputDetails: Table<OpenAI.Responses.ResponseUsage.InputTokensDetails> = {
  cache_write_tokens: true,
  cached_tokens: true,
};
const outputDetails: Table<OpenAI.Responses.ResponseUsage.OutputTokensDetails> = { reasoning_tokens: true };
const items = {
  message: { id: true, content: true, role: true, status: true, type: true },
  function_call: { arguments: true, call_id: true, name: true, type: true },
  reasoning: { id: true, summary: true, type: true },
} satisfies {
  message: Table<OpenAI.Responses.ResponseOutputMessage>;
  function_call: Table<OpenAI.Responses.ResponseFunctionToolCall>;
  reasoning: Table<OpenAI.Responses.ResponseReasoningItem>;
};

const message: Table<Anthropic.Message> = {
  id: true,
  container: true,
  content: true,
  diagnostics: true,
  model: true,
  role: true,
  stop_details: true,
  stop_reason: true,
  stop_sequence: true,
  type: true,
  usage: true,
};
const messageUsage: Table<Anthropic.Usage> = {
  cache_creation: true,
  cache_creation_input_tokens: true,
  cache_read_input_tokens: true,
  inference_geo: true,
  input_tokens: true,
  output_tokens: true,
  output_tokens_details: true,
  server_tool_use: true,
  service_tier: true,
  speed: true,
};
const deltaUsage: Table<Anthropic.MessageDeltaUsage> = {
  cache_creation_input_tokens: true,
  cache_read_input_tokens: true,
  input_tokens: true,
  output_tokens: true,
  output_tokens_details: true,
  server_tool_use: true,
};
const messageDelta: Table<Anthropic.RawMessageDeltaEvent.Delta> = {
  container: true,
  stop_details: true,
  stop_reason: true,
  stop_sequence: true,
};
const toolUse: Table<Anthropic.ToolUseBlock> = {
  id: true,
  caller: true,
  input: true,
  name: true,
  type: true,
};
const thinking: Table<Anthropic.ThinkingBlock> = { signature: true, thinking: true, type: true };
const text: Table<Anthropic.TextBlock> = { citations: true, text: true, type: true };
const blocks = { tool_use: toolUse, thinking, text };
const toolCounts: Table<Anthropic.ServerToolUsage> = { web_fetch_requests: true, web_search_requests: true };

const request: ChatRequest = {
  model: "m",
  stream: true,
  messages: [{ role: "user", parts: [{ type: "text", text: "hi" }] }],
  includeUsage: true,
};
const usage = { input: 30, output: 20 };
const counted = { ...usage, cacheRead: 5, cacheWrite5m: 4, reasoning: 3, toolCalls: { "web-search": 2 } };

const events = (of: typeof usage): ChatEvent[] => [
  { type: "start", id: "a", model: "m" },
  { type: "reasoning", choice: 0, part: 0, text: "Hm." },
  { type: "text", choice: 0, part: 1, text: "Hi." },
  { type: "tool-call", choice: 0, part: 2, id: "c1", name: "f" },
  { type: "tool-call", choice: 0, part: 3, id: "c2", name: "g" },
  { type: "tool-input", choice: 0, part: 2, text: "{}" },
  { type: "tool-input", choice: 0, part: 3, text: "{}" },
  { type: "stop", choice: 0, reason: "tool-calls" },
  { type: "finish", usage: of },
];
const whole = (of: typeof usage): ChatResponse => ({
  id: "a",
  model: "m",
  choices: [
    {
      index: 0,
      finish: "tool-calls",
      parts: [
        { type: "reasoning", text: "Hm." },
        { type: "text", text: "Hi." },
        { type: "refusal", text: "No." },
        { type: "tool-call", id: "c1", name: "f", input: "{}" },
      ],
    },
  ],
  usage: of,
});

function framesOf(client: ClientDialect, of: typeof usage): Wire[] {
  const encode = client.encodeStream(request);
  const splitter = createFrameSplitter();
  const sent = events(of)
    .map((event) => encode(event).text)
    .join("");
  return [...splitter.push(Buffer.from(sent)), ...splitter.flush()]
    .map(({ frame }) => frame.data)
    .filter((data) => data !== "[DONE]")
    .map((data) => JSON.parse(data) as Wire);
}

const list = (value: unknown) => value as Wire[];

function expectFields(value: unknown, table: Record<string, true>): void {
  expect(Object.keys(value as Wire)).toEqual(expect.arrayContaining(Object.keys(table)));
}

describe.each([
  ["plain counts", usage],
  ["all counts", counted],
])("required fields with %s", (_name, of) => {
  it("of chat completions", () => {
    const body = dialects["openai-chat"].encodeResponse(whole(of), request);
    expectFields(body, chat);
    expectFields(body["usage"], chatUsage);
    for (const choice of list(body["choices"])) {
      expectFields(choice, chatChoice);
      expectFields(choice["message"], chatMessage);
    }
    for (const frame of framesOf(dialects["openai-chat"], of)) {
      expectFields(frame, chunk);
      for (const choice of list(frame["choices"])) expectFields(choice, chunkChoice);
    }
  });

  it("of Responses", () => {
    const frames = framesOf(dialects["openai-responses"], of);
    const last = frames.at(-1)?.["response"];
    for (const body of [dialects["openai-responses"].encodeResponse(whole(of), request), last as Wire]) {
      expectFields(body, response);
      const counts = body["usage"] as Wire;
      expectFields(counts, responseUsage);
      expectFields(counts["input_tokens_details"], inputDetails);
      expectFields(counts["output_tokens_details"], outputDetails);
      for (const item of list(body["output"])) expectFields(item, items[item["type"] as keyof typeof items]);
    }
    for (const { item } of frames) {
      if (item !== undefined) expectFields(item, items[(item as Wire)["type"] as keyof typeof items]);
    }
  });

  it("of Messages", () => {
    const body = dialects.anthropic.encodeResponse(whole(of), request);
    const frames = framesOf(dialects.anthropic, of);
    for (const one of [body, frames[0]?.["message"] as Wire]) {
      expectFields(one, message);
      expectFields(one["usage"], messageUsage);
    }
    for (const block of list(body["content"]))
      expectFields(block, blocks[block["type"] as keyof typeof blocks]);
    const started = frames.flatMap((frame) =>
      frame["content_block"] === undefined ? [] : [frame["content_block"] as Wire],
    );
    expect(started.map((block) => block["type"])).toEqual(["thinking", "text", "tool_use", "tool_use"]);
    // Anthropic's own streams start a text without its citations, which follow as deltas.
    for (const block of started.filter(({ type }) => type !== "text"))
      expectFields(block, blocks[block["type"] as keyof typeof blocks]);
    const end = frames.find((frame) => frame["type"] === "message_delta");
    expectFields(end?.["delta"], messageDelta);
    expectFields(end?.["usage"], deltaUsage);
    for (const { server_tool_use: tools } of [body["usage"] as Wire, end?.["usage"] as Wire])
      if (of === counted) expectFields(tools, toolCounts);
      else expect(tools).toBeNull();
  });
});

it("a page that xAI cites without its place has the required fields", () => {
  const cited = { type: "url_citation", url: "https://x.example" };
  const content = [{ type: "output_text", text: "Hi.", annotations: [cited] }];
  const came = {
    id: "r",
    object: "response",
    status: "completed",
    output: [{ type: "message", id: "m", role: "assistant", content }],
  };
  const decoded = dialects["openai-responses"].decodeResponse(came);
  const [item] = list(dialects["openai-responses"].encodeResponse(decoded, request)["output"]);
  const page: Table<OpenAI.Responses.ResponseOutputText.URLCitation> = {
    end_index: true,
    start_index: true,
    title: true,
    type: true,
    url: true,
  };
  expectFields(list(list(item?.["content"])[0]?.["annotations"])[0], page);
});

it("a message that its client sends back is not reported as incomplete", () => {
  const { content } = dialects.anthropic.encodeResponse(whole(usage), request);
  const body = {
    model: "m",
    max_tokens: 9,
    messages: [
      { role: "assistant", content },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "1" }] },
    ],
  };
  expect(dialects.anthropic.decodeRequest(body, {}).messages[0]?.parts).toMatchObject([
    { type: "reasoning" },
    { type: "text", text: "Hi." },
    { type: "text", text: "No." },
    { type: "tool-call", id: "c1" },
  ]);
  const unsupported = (sent: Wire) => {
    const client = dialects.anthropic;
    return listUnsupportedFields(
      { client, request: client.decodeRequest(sent, { model: "m" }), body: sent },
      "openai-chat",
    );
  };
  expect(unsupported(body)).toEqual([]);
  const byCode = {
    type: "tool_use",
    id: "c",
    name: "f",
    input: {},
    caller: { type: "code_execution_20250825" },
  };
  const called = { ...body, messages: [{ role: "assistant", content: [byCode] }] };
  expect(unsupported(called)).toEqual(["messages.content.caller"]);
});
