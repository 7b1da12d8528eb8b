import { describe, expect, it } from "vitest";
import type { UpstreamDialect } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { ChatEvent, Usage } from "#dialects/ir.ts";
import { deepseek } from "./definitions/deepseek.ts";
import { openai } from "./definitions/openai.ts";
import { alwaysSearches } from "./provider.ts";

/**
 * Different names of the same counts at providers of one format, from the documentation named in their files.
 * Each is read in complete responses and in streams, passed unchanged and translated.
 */
const chat = dialects["openai-chat"];

type Wire = Record<string, unknown>;
type Case = [provider: string, usage: Wire, counted: Partial<Usage>];

const cases: Case[] = [
  [
    "OpenAI",
    {
      prompt_tokens: 100,
      completion_tokens: 60,
      total_tokens: 160,
      prompt_tokens_details: { cached_tokens: 40, audio_tokens: 7 },
      completion_tokens_details: { reasoning_tokens: 20, audio_tokens: 5, accepted_prediction_tokens: 0 },
    },
    { input: 100, output: 60, cacheRead: 40, reasoning: 20, audioInput: 7, audioOutput: 5 },
  ],
  [
    "DeepSeek",
    {
      prompt_tokens: 100,
      completion_tokens: 60,
      total_tokens: 160,
      prompt_cache_hit_tokens: 64,
      prompt_cache_miss_tokens: 36,
      completion_tokens_details: { reasoning_tokens: 50 },
    },
    { input: 100, output: 60, cacheRead: 64, reasoning: 50 },
  ],
  [
    "Moonshot",
    { prompt_tokens: 19, completion_tokens: 21, total_tokens: 40, cached_tokens: 10 },
    { input: 19, output: 21, cacheRead: 10 },
  ],
  [
    "Zhipu",
    {
      prompt_tokens: 100,
      completion_tokens: 60,
      total_tokens: 160,
      prompt_tokens_details: { cached_tokens: 32 },
    },
    { input: 100, output: 60, cacheRead: 32 },
  ],
  [
    "DashScope",
    {
      prompt_tokens: 3019,
      completion_tokens: 104,
      total_tokens: 3123,
      prompt_tokens_details: {
        cached_tokens: 0,
        cache_creation_input_tokens: 2048,
        cache_creation: { ephemeral_5m_input_tokens: 2048 },
        cache_type: "ephemeral",
      },
    },
    { input: 3019, output: 104, cacheRead: 0, cacheWrite5m: 2048 },
  ],
  [
    "DashScope's listening models",
    {
      prompt_tokens: 120,
      completion_tokens: 30,
      total_tokens: 150,
      prompt_tokens_details: { audio_tokens: 100, text_tokens: 20 },
      completion_tokens_details: { audio_tokens: 25, text_tokens: 5 },
    },
    { input: 120, output: 30, audioInput: 100, audioOutput: 25 },
  ],
  [
    "VolcEngine",
    {
      prompt_tokens: 50,
      completion_tokens: 70,
      total_tokens: 120,
      prompt_tokens_details: { cached_tokens: 16 },
      completion_tokens_details: { reasoning_tokens: 64 },
    },
    { input: 50, output: 70, cacheRead: 16, reasoning: 64 },
  ],
  [
    "OpenRouter",
    {
      prompt_tokens: 194,
      completion_tokens: 2,
      total_tokens: 196,
      cost: 0.95,
      prompt_tokens_details: { cached_tokens: 50, cache_write_tokens: 100, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, image_tokens: 1 },
      server_tool_use: { web_search_requests: 2 },
    },
    {
      input: 194,
      output: 2,
      cacheRead: 50,
      cacheWrite5m: 100,
      imageOutput: 1,
      toolCalls: { "web-search": 2 },
    },
  ],
  [
    "xAI",
    {
      prompt_tokens: 10,
      completion_tokens: 2,
      total_tokens: 112,
      num_sources_used: 0,
      prompt_tokens_details: { text_tokens: 10, audio_tokens: 0, image_tokens: 0, cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 100, audio_tokens: 0 },
    },
    { input: 10, output: 102, cacheRead: 4, reasoning: 100 },
  ],
  [
    "a provider that reports only the required counts",
    { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
    { input: 3, output: 4 },
  ],
];

const message = { role: "assistant", reasoning_content: "Hm.", content: "Hi" };

function whole(usage: Wire): Wire {
  return { id: "1", model: "m", choices: [{ index: 0, finish_reason: "stop", message }], usage };
}

const frames = {
  "in a chunk of its own": (usage: Wire) => [
    { id: "1", model: "m", choices: [{ index: 0, delta: message }] },
    { id: "1", model: "m", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    { id: "1", model: "m", choices: [], usage },
  ],
  "with the reason to stop": (usage: Wire) => [
    { id: "1", model: "m", choices: [{ index: 0, delta: message }] },
    { id: "1", model: "m", choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage },
  ],
  "inside the choice": (usage: Wire) => [
    { id: "1", model: "m", choices: [{ index: 0, delta: message }] },
    { id: "1", model: "m", choices: [{ index: 0, delta: {}, finish_reason: "stop", usage }] },
  ],
};

function translated(dialect: UpstreamDialect, chunks: Wire[]): ChatEvent[] {
  const decoder = dialect.decodeStream();
  const events = chunks.flatMap((chunk) => decoder.frame({ event: undefined, data: JSON.stringify(chunk) }));
  return [...events, ...decoder.frame({ event: undefined, data: "[DONE]" }), ...decoder.end()];
}

describe.each(cases)("the usage of %s", (_provider, usage, counted) => {
  it("is read in a complete response, with its reasoning separate from the text", () => {
    const answer = chat.decodeResponse(whole(usage));
    expect(answer.usage).toEqual({ ...counted, ...extrasOf(answer.usage, counted), raw: usage });
    expect(answer.choices[0]?.parts).toMatchObject([
      { type: "reasoning", text: "Hm." },
      { type: "text", text: "Hi" },
    ]);
    expect(chat.skimResponse(JSON.stringify(whole(usage))).usage).toMatchObject(counted);
  });

  it.each(Object.entries(frames))("are read in a stream, %s", (_place, chunksOf) => {
    const events = translated(chat, chunksOf(usage));
    expect(events.at(-1)).toMatchObject({ type: "finish", usage: counted });
    expect(events.filter(({ type }) => type === "reasoning" || type === "text")).toHaveLength(2);
    const skimmer = chat.skim();
    for (const chunk of chunksOf(usage)) {
      skimmer.frame({ event: undefined, data: JSON.stringify(chunk) });
    }
    expect(skimmer.usage).toMatchObject(counted);
    expect(skimmer.complete).toBe(true);
  });
});

describe("a search for every response", () => {
  it.each([
    [openai, "gpt-4o-mini-search-preview", true],
    [openai, "gpt-5-search-api", true],
    [openai, "gpt-4o", false],
    [deepseek, "gpt-4o-search-preview", false],
  ])("is made by some models of some providers: %o %s", (provider, model, searches) => {
    expect(alwaysSearches(provider, model)).toBe(searches);
  });
});

/** Ignores zero counts, which may be present or absent. */
function extrasOf(usage: Usage | undefined, counted: Partial<Usage>): Partial<Usage> {
  const entries = Object.entries(usage ?? {}).filter(([key, value]) => !(key in counted) && value === 0);
  return Object.fromEntries(entries);
}
