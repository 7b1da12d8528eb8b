import { defaultSettings } from "@gateway/shared/site/settings";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isWrapped, openUnwrapping, withoutObject } from "#dialects/answer-schema.ts";
import type { Upstream, Wire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { ChatEvent, ChatResponse, DialectId } from "#dialects/ir.ts";
import { createCollector } from "#dialects/stream/collected-answer.ts";
import {
  ownNamesOf,
  toolNames,
  withOwnName,
  withOwnNames,
  withToolNames,
} from "#dialects/tools/tool-names.ts";
import { channel } from "#domain/channels/selection/channels.fixture.ts";
import { converse } from "#providers/wires/converse/index.ts";
import { encodeBody } from "./encode-chat.ts";

/** Translates a body. Returns the wire, and the fields reported as dropped. */
function translated(
  client: DialectId,
  body: Wire,
  to: DialectId | "converse",
): { wire: Wire; dropped: string[] } {
  const spoken = dialects[client];
  const request = spoken.decodeRequest(body, { model: "m" });
  const given = { client: spoken, body, raw: Buffer.from(JSON.stringify(body)), request };
  const upstream: Upstream = to === "converse" ? converse : dialects[to];
  const provider = { ...channel({ id: 1 }).provider, adjustRequest: undefined };
  const chosen = { channel: channel({ id: 1, provider }), upstreamModel: "m" };
  const shape = { model: "m", stream: false, other: "", plugin: {} };
  const { body: sent, dropped } = encodeBody(given, chosen, upstream, shape, defaultSettings);
  return { wire: JSON.parse(String(sent)) as Wire, dropped };
}

const ids: DialectId[] = ["openai-chat", "openai-responses", "anthropic", "gemini"];
const hi = { role: "user", content: "Hi" };
const messages = (...content: Wire[]): Wire => ({ max_tokens: 9, messages: [{ role: "user", content }] });

describe("tool names that an upstream rejects", () => {
  const long = `mcp__${"server_".repeat(9)}__do-it`;
  const dotted = "files.read:now";
  const call = { type: "tool_use", id: "c", name: long, input: {} };
  const body = {
    max_tokens: 9,
    messages: [
      hi,
      { role: "assistant", content: [call] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c" }] },
    ],
    tools: [{ name: long, input_schema: { type: "object" } }],
    tool_choice: { type: "tool", name: long },
  };

  it.each(["openai-chat", "openai-responses", "gemini"] as const)("%s: are shortened everywhere", (to) => {
    const sent = JSON.stringify(translated("anthropic", body, to).wire);
    expect(sent).not.toContain(long);
    const [name = ""] = /mcp__[\w-]*_[0-9a-f]{8}/.exec(sent) ?? [];
    expect(name).toHaveLength(64);
    const times = to === "gemini" ? 4 : 3;
    expect(sent.split(name)).toHaveLength(times + 1);
  });

  it("are restored for the client, whole and streamed", () => {
    const name = fc.oneof(
      fc.constantFrom(long, `${long}2`, dotted, "plain", "1st", "名前"),
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 140 }),
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(name, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(...ids, "own" as const),
        (list, to) => {
          const tools = list.map((each) => ({ name: each }));
          const request = { model: "m", stream: false, messages: [], tools };
          const names = toolNames(request, to);
          const sent = (withToolNames(request, names).tools ?? []).map((tool) => tool.name);
          expect(new Set(sent).size).toBe(list.length);
          for (const each of sent)
            expect(each).toMatch(to === "gemini" ? /^[A-Za-z_][\w.:-]{0,63}$/ : /^[\w-]{1,128}$/);
          if (names === undefined) return;
          const own = ownNamesOf(names);
          const parts = sent.map((each) => ({
            type: "tool-call" as const,
            id: "c",
            name: each,
            input: "{}",
          }));
          const answer: ChatResponse = {
            id: "",
            model: "",
            choices: [{ index: 0, parts, finish: "tool-calls" }],
          };
          const back = withOwnNames(answer, own).choices[0]?.parts.map((part) =>
            part.type === "tool-call" ? part.name : "",
          );
          expect(back).toEqual(list);
          const events = sent.map((each) =>
            withOwnName({ type: "tool-call", choice: 0, part: 0, id: "c", name: each }, own),
          );
          expect(events.map((event) => (event.type === "tool-call" ? event.name : ""))).toEqual(list);
        },
      ),
    );
  });

  it("are unchanged where the upstream accepts them", () => {
    const request = { model: "m", stream: false, messages: [], tools: [{ name: dotted }] };
    expect(toolNames(request, "gemini")).toBeUndefined();
    expect(withToolNames(request, undefined)).toBe(request);
    expect(translated("anthropic", body, "anthropic").wire).toMatchObject({ tools: body.tools });
  });
});

describe("web search options", () => {
  const place = { city: "Kyoto", country: "JP" };
  const location = { type: "approximate", ...place };
  const claude = {
    type: "web_search_20250305",
    name: "web_search",
    allowed_domains: ["a.org"],
    max_uses: 2,
    user_location: location,
  };
  const search = {
    type: "web_search",
    filters: { allowed_domains: ["a.org"] },
    user_location: location,
    search_context_size: "low",
  };

  it("are translated between Messages and Responses", () => {
    const there = translated(
      "anthropic",
      { ...messages({ type: "text", text: "Hi" }), tools: [claude] },
      "openai-responses",
    );
    expect(there.wire["tools"]).toEqual([
      { type: "web_search", filters: { allowed_domains: ["a.org"] }, user_location: location },
    ]);
    expect(there.dropped).toEqual(["tools.max_uses"]);
    const back = translated("openai-responses", { input: "Hi", tools: [search] }, "anthropic");
    expect(back.wire["tools"]).toEqual([
      {
        type: "web_search_20250305",
        name: "web_search",
        allowed_domains: ["a.org"],
        user_location: location,
      },
    ]);
    expect(back.dropped).toEqual(["tools.search_context_size"]);
  });

  it("are translated from chat completions to both", () => {
    const options = {
      search_context_size: "high",
      user_location: { type: "approximate", approximate: place },
    };
    const body = { messages: [hi], web_search_options: options };
    expect(translated("openai-chat", body, "openai-responses")).toMatchObject({
      wire: { tools: [{ type: "web_search", user_location: location, search_context_size: "high" }] },
      dropped: [],
    });
    expect(translated("openai-chat", body, "anthropic").dropped).toEqual([
      "web_search_options.search_context_size",
    ]);
  });

  it("are reported with their path when no upstream supports them", () => {
    const blocked = {
      ...messages({ type: "text", text: "Hi" }),
      tools: [{ ...claude, allowed_domains: null, blocked_domains: ["b.org"] }],
    };
    expect(translated("anthropic", blocked, "openai-responses").dropped.toSorted()).toEqual([
      "tools.blocked_domains",
      "tools.max_uses",
    ]);
    expect(translated("anthropic", blocked, "gemini").dropped.toSorted()).toEqual([
      "tools.blocked_domains",
      "tools.max_uses",
      "tools.user_location",
    ]);
    expect(translated("openai-responses", { input: "Hi", tools: [search] }, "gemini").dropped).toEqual([
      "tools.filters.allowed_domains",
      "tools.user_location",
      "tools.search_context_size",
    ]);
    const code = { type: "code_interpreter", container: { type: "auto", file_ids: ["file-1"] } };
    expect(translated("openai-responses", { input: "Hi", tools: [code] }, "anthropic").dropped).toEqual([
      "tools.container.file_ids",
    ]);
    const grounded = {
      contents: [{ parts: [{ text: "Hi" }] }],
      tools: [{ googleSearch: { timeRangeFilter: { startTime: "t" } } }],
    };
    expect(translated("gemini", grounded, "anthropic").dropped).toEqual([
      "tools.googleSearch.timeRangeFilter",
    ]);
  });
});

describe("search results and text documents", () => {
  const result = {
    type: "search_result",
    source: "https://a.org/1",
    title: "Tides",
    content: [{ type: "text", text: "High at noon." }],
    citations: { enabled: true },
  };
  const document = {
    type: "document",
    title: "Notes",
    source: { type: "content", content: [{ type: "text", text: "Low at six." }] },
  };

  it.each(["openai-chat", "openai-responses", "gemini", "converse"] as const)(
    "reach %s as text, in a message and in a tool result",
    (to) => {
      const called = [
        { role: "assistant", content: [{ type: "tool_use", id: "c", name: "look", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: [result] }] },
      ];
      const requested = messages(result, document);
      const body = { ...requested, messages: [...(requested["messages"] as Wire[]), ...called] };
      const { wire, dropped } = translated("anthropic", body, to);
      const sent = JSON.stringify(wire);
      expect(sent.split("High at noon.")).toHaveLength(3);
      for (const words of ["Tides", "https://a.org/1", "Low at six.", "Notes"]) expect(sent).toContain(words);
      expect(dropped).not.toContain("foreign");
    },
  );
});

describe("fields that a translation drops", () => {
  const schema = { type: "object", properties: {} };
  const pdf = { type: "base64", media_type: "application/pdf", data: "AA==" };
  const image = { type: "input_image", image_url: "https://a.org/1.png", detail: "high" };

  it.each<[string, DialectId, Wire, DialectId | "converse", string[]]>([
    [
      "fields of tools",
      "anthropic",
      {
        ...messages({ type: "text", text: "Hi" }),
        tools: [
          {
            name: "f",
            input_schema: schema,
            defer_loading: true,
            allowed_callers: ["x"],
            input_examples: [{}],
          },
        ],
      },
      "openai-chat",
      ["tools.allowed_callers", "tools.defer_loading", "tools.input_examples"],
    ],
    [
      "fields of documents",
      "anthropic",
      messages(
        { type: "document", source: pdf, context: "c", citations: { enabled: true } },
        { type: "text", text: "Hi" },
      ),
      "openai-responses",
      ["messages.content.citations", "messages.content.context"],
    ],
    [
      "the detail of a picture",
      "openai-responses",
      { input: [{ role: "user", content: [image] }] },
      "anthropic",
      ["detail"],
    ],
    [
      "the detail of a picture",
      "openai-responses",
      { input: [{ role: "user", content: [image] }] },
      "gemini",
      ["detail"],
    ],
    [
      "the name of a speaker",
      "openai-chat",
      { messages: [{ ...hi, name: "ann" }] },
      "gemini",
      ["messages.name"],
    ],
    [
      "the phase of a message",
      "openai-responses",
      { input: [{ role: "assistant", content: "a", phase: "commentary" }, hi] },
      "anthropic",
      ["input.phase"],
    ],
    [
      "a summary of the reasoning",
      "openai-responses",
      { input: "Hi", reasoning: { effort: "low", summary: "detailed" } },
      "openai-chat",
      ["reasoning.summary"],
    ],
    [
      "fields of functions",
      "gemini",
      {
        contents: [{ parts: [{ text: "Hi" }] }],
        tools: [{ functionDeclarations: [{ name: "f", behavior: "NON_BLOCKING" }] }],
      },
      "openai-chat",
      ["tools.functionDeclarations.behavior"],
    ],
    ["the user", "openai-chat", { messages: [hi], user: "me" }, "converse", ["user"]],
    [
      "what only some providers have",
      "openai-chat",
      {
        messages: [{ ...hi, name: "ann" }],
        tools: [{ type: "function", function: { name: "f", strict: true } }],
      },
      "converse",
      ["messages.name", "strict"],
    ],
    [
      "nothing of a detail that the model chooses",
      "openai-responses",
      { input: [{ role: "user", content: [{ ...image, detail: "auto" }] }] },
      "anthropic",
      [],
    ],
    [
      "nothing of excluded sites, in either spelling",
      "gemini",
      { contents: [{ parts: [{ text: "Hi" }] }], tools: [{ google_search: { exclude_domains: ["a.org"] } }] },
      "anthropic",
      [],
    ],
    [
      "what is left of a setting",
      "gemini",
      {
        contents: [{ parts: [{ text: "Hi" }] }],
        generationConfig: { speechConfig: { languageCode: "en" }, thinkingConfig: { thinkingLevel: "LOW" } },
      },
      "openai-chat",
      ["generationConfig.speechConfig"],
    ],
    [
      "a block of a kind of its own",
      "anthropic",
      messages({ type: "text", text: "Hi" }, { type: "container_upload", file_id: "f" }),
      "openai-chat",
      ["container_upload"],
    ],
    [
      "a file at Google",
      "gemini",
      {
        contents: [
          {
            parts: [
              { text: "Hi" },
              {
                fileData: {
                  fileUri: "https://generativelanguage.googleapis.com/v1beta/files/abc",
                  mimeType: "application/pdf",
                },
              },
            ],
          },
        ],
      },
      "openai-responses",
      ["file"],
    ],
    [
      "a video that only Google reads",
      "gemini",
      {
        contents: [
          { parts: [{ text: "Hi" }, { fileData: { fileUri: "https://www.youtube.com/watch?v=abc" } }] },
        ],
      },
      "anthropic",
      ["file"],
    ],
    [
      "nothing of what both of OpenAI's formats have",
      "openai-chat",
      { messages: [hi], verbosity: "low", prompt_cache_key: "k", safety_identifier: "s" },
      "openai-responses",
      [],
    ],
    [
      "nothing of what is done anyway",
      "openai-responses",
      { input: "Hi", store: false, include: ["reasoning.encrypted_content"] },
      "anthropic",
      [],
    ],
    [
      "nothing of a thinking that is shown",
      "anthropic",
      {
        ...messages({ type: "text", text: "Hi" }),
        thinking: { type: "adaptive", display: "summarized" },
        output_config: { effort: "low" },
      },
      "openai-responses",
      [],
    ],
    [
      "nothing of a level",
      "gemini",
      {
        contents: [{ parts: [{ text: "Hi" }] }],
        generationConfig: { thinkingConfig: { thinkingLevel: "HIGH" } },
      },
      "openai-responses",
      [],
    ],
  ])("%s (%s)", (_name, client, body, to, names) => {
    expect(translated(client, body, to).dropped.toSorted()).toEqual(names);
  });
});

describe("fields that change nothing", () => {
  const defaults: Record<DialectId, Wire> = {
    "openai-chat": {
      messages: [hi],
      n: 1,
      frequency_penalty: 0,
      presence_penalty: 0,
      logprobs: false,
      logit_bias: {},
      metadata: {},
      modalities: ["text"],
      parallel_tool_calls: true,
      response_format: { type: "text" },
      service_tier: "auto",
      stop: [],
      store: false,
      verbosity: "medium",
    },
    "openai-responses": {
      input: "Hi",
      background: false,
      include: [],
      metadata: {},
      parallel_tool_calls: true,
      service_tier: "auto",
      store: false,
      text: { format: { type: "text" }, verbosity: "medium" },
      top_logprobs: 0,
      truncation: "disabled",
    },
    anthropic: { max_tokens: 9, messages: [hi], mcp_servers: [], service_tier: "auto", stop_sequences: [] },
    gemini: {
      contents: [{ parts: [{ text: "Hi" }] }],
      safetySettings: [],
      labels: {},
      generationConfig: {
        candidateCount: 1,
        presencePenalty: 0,
        responseLogprobs: false,
        responseMimeType: "text/plain",
        responseModalities: ["TEXT"],
      },
    },
  };

  it.each(ids)("of %s are not reported", (client) => {
    for (const to of [...ids, "converse" as const])
      expect(translated(client, defaults[client], to).dropped, to).toEqual([]);
  });

  it("are reported with another value", () => {
    const { dropped } = translated(
      "openai-responses",
      { input: "Hi", truncation: "auto", text: { verbosity: "low" }, top_logprobs: 3 },
      "anthropic",
    );
    expect(dropped.toSorted()).toEqual(["text.verbosity", "top_logprobs", "truncation"]);
    const audio = {
      messages: [hi],
      modalities: ["text", "audio"],
      logit_bias: { 1: 2 },
      presence_penalty: 1,
    };
    expect(translated("openai-chat", audio, "anthropic").dropped.toSorted()).toEqual([
      "logit_bias",
      "modalities",
      "presence_penalty",
    ]);
  });
});

describe("texts that Messages rejects", () => {
  it("drops white-space-only texts, and trims the end of the last assistant text", () => {
    const body = {
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: " \n" },
            { type: "text", text: "Hi " },
          ],
        },
        { role: "assistant", content: "The answer is  " },
      ],
    };
    expect(translated("openai-chat", body, "anthropic").wire["messages"]).toEqual([
      { role: "user", content: "Hi " },
      { role: "assistant", content: "The answer is" },
    ]);
  });
});

describe("a response in another format", () => {
  const request = { model: "m", stream: true, messages: [] };
  const usage = { input: 7, output: 5, cacheRead: 161, cacheWrite5m: 7, reasoning: 9 };
  const answer: ChatResponse = {
    id: "a",
    model: "m",
    choices: [{ index: 0, parts: [], finish: "stop" }],
    usage,
  };

  it.each(ids)("%s: no share of the tokens exceeds the total", (id) => {
    const wire = dialects[id].encodeResponse(answer, request);
    const { usage: read } = dialects[id].decodeResponse(wire);
    expect(read?.input).toBe(7);
    expect(
      (read?.cacheRead ?? 0) + (read?.cacheWrite5m ?? 0) + (read?.cacheWrite1h ?? 0),
    ).toBeLessThanOrEqual(7);
    expect(read?.reasoning ?? 0).toBeLessThanOrEqual(5);
  });

  it("Messages: a zero count at the end of a stream is the count", () => {
    const decoder = dialects.anthropic.decodeStream();
    const events = [
      { type: "message_start", message: { usage: { input_tokens: 5, output_tokens: 1 } } },
      {
        type: "message_delta",
        delta: { stop_reason: "end_turn" },
        usage: { input_tokens: 0, output_tokens: 0 },
      },
      { type: "message_stop" },
    ].flatMap((event) => decoder.frame({ event: event.type, data: JSON.stringify(event) }));
    expect(events.at(-1)).toMatchObject({ type: "finish", usage: { input: 5, output: 0 } });
  });

  it.each(["openai-responses", "anthropic"] as const)(
    "%s: encodes audio without a transcript as a data link",
    (id) => {
      const source = { type: "data" as const, mediaType: "audio/wav", data: "AA==" };
      const spoken: ChatResponse = {
        ...answer,
        choices: [{ index: 0, parts: [{ type: "audio", source }], finish: "stop" }],
      };
      expect(JSON.stringify(dialects[id].encodeResponse(spoken, request))).toContain(
        "[audio](data:audio/wav;base64,AA==)",
      );
      const encode = dialects[id].encodeStream(request);
      const text =
        encode({ type: "start", id: "a", model: "m" }).text +
        encode({ type: "media", choice: 0, part: 0, media: { type: "audio", source } }).text;
      expect(text).toContain("[audio](data:audio/wav;base64,AA==)");
    },
  );

  it("Responses: keeps the type of an image in both directions", () => {
    const item = { type: "image_generation_call", result: "/9j/4AAQ", output_format: "jpeg" };
    for (const each of [item, { ...item, output_format: undefined }]) {
      const { choices } = dialects["openai-responses"].decodeResponse({ output: [each] });
      expect(choices[0]?.parts).toMatchObject([{ type: "image", source: { mediaType: "image/jpeg" } }]);
      const wire = dialects["openai-responses"].encodeResponse({ ...answer, choices }, request);
      expect(wire["output"]).toMatchObject([{ output_format: "jpeg", result: "/9j/4AAQ" }]);
    }
  });

  it("Messages: the citations of text without any are null", () => {
    const parts = [
      { type: "text" as const, text: "Hi" },
      { type: "refusal" as const, text: "No" },
    ];
    const wire = dialects.anthropic.encodeResponse(
      { ...answer, choices: [{ index: 0, parts, finish: "stop" }] },
      request,
    );
    expect(wire["content"]).toMatchObject([{ citations: null }, { citations: null }]);
  });

  it("Gemini: keeps calls before an unexpected one", () => {
    const candidate = {
      content: { parts: [{ functionCall: { name: "f" } }] },
      finishReason: "UNEXPECTED_TOOL_CALL",
    };
    expect(dialects.gemini.decodeResponse({ candidates: [candidate] }).choices[0]?.finish).toBe("tool-calls");
    const decoder = dialects.gemini.decodeStream();
    const collector = createCollector();
    const events = [
      ...decoder.frame({ event: undefined, data: JSON.stringify({ candidates: [candidate] }) }),
      ...decoder.end(),
    ];
    for (const event of events) collector.add(event);
    expect(collector.answer).toMatchObject({ choices: [{ finish: "tool-calls" }] });
  });
});

describe("a response schema that is not an object", () => {
  const item = { $ref: "#/$defs/word" };
  const schema = { type: "array", items: item, $defs: { word: { type: "string" } } };
  const contents = [{ parts: [{ text: "Hi" }] }];
  const asking = (responseJsonSchema: Wire) => ({
    contents,
    generationConfig: { responseMimeType: "application/json", responseJsonSchema },
  });
  const object = {
    type: "object",
    properties: { value: { type: "array", items: item } },
    required: ["value"],
    additionalProperties: false,
    $defs: schema.$defs,
  };

  it("is wrapped in an object for OpenAI, and unchanged for others", () => {
    expect(translated("gemini", asking(schema), "openai-chat").wire).toMatchObject({
      response_format: { json_schema: { schema: object } },
    });
    expect(translated("gemini", asking(schema), "openai-responses").wire).toMatchObject({
      text: { format: { schema: object } },
    });
    const kept = { type: "object", properties: { a: { type: "string" } } };
    expect(translated("gemini", asking(kept), "openai-chat").wire).toMatchObject({
      response_format: { json_schema: { schema: kept } },
    });
    const optional = { type: ["object", "null"], properties: { a: { type: "string" } } };
    expect(translated("gemini", asking(optional), "openai-chat").wire).toMatchObject({
      response_format: { json_schema: { schema: { type: "object", properties: { value: optional } } } },
    });
    expect(
      isWrapped(dialects.gemini.decodeRequest(asking({ enum: ["a", "b"] }), { model: "m" }), "openai-chat"),
    ).toBe(true);
  });

  it("is unwrapped whole and streamed, at any split", () => {
    const list = fc.array(fc.string({ unit: "grapheme" }));
    fc.assert(
      fc.property(list, fc.nat(), (value, at) => {
        const text = JSON.stringify({ value });
        const cut = at % (text.length + 1);
        const answer: ChatResponse = {
          id: "",
          model: "",
          choices: [{ index: 0, parts: [{ type: "text", text }], finish: "stop" }],
        };
        expect(withoutObject(answer).choices[0]?.parts).toEqual([
          { type: "text", text: JSON.stringify(value) },
        ]);
        const unwrap = openUnwrapping();
        const place = { type: "text" as const, choice: 0, part: 0 };
        const events: ChatEvent[] = [
          { ...place, text: text.slice(0, cut) },
          { ...place, text: text.slice(cut) },
          { type: "stop", choice: 0, reason: "stop" },
          { type: "finish" },
        ];
        expect(events.flatMap(unwrap)).toEqual([
          { ...place, text: JSON.stringify(value) },
          ...events.slice(2),
        ]);
      }),
    );
  });
});
