import { describe, expect, it } from "vitest";
import type { Wire } from "./dialect.ts";
import { dialects } from "./index.ts";
import type { ChatEvent, ChatRequest, ChatResponse, DialectId } from "./ir.ts";

/** Content of one format arrives in another that can express it; anything else is reported. */
const ids = Object.keys(dialects) as DialectId[];
const ask: ChatRequest = { model: "m", stream: false, messages: [] };
const hi = { role: "user", content: "Hi" };

const reported = (from: DialectId, body: object, to: DialectId) =>
  dialects[to].encodeRequest(dialects[from].decodeRequest(body, { model: "m" }));
const json = (value: unknown) => JSON.stringify(value);

describe("a list of allowed tools", () => {
  const names = ["look", "listen", "smell"];
  const allowed = ["look", "listen"];
  const bodies: Partial<Record<DialectId, object>> = {
    "openai-chat": {
      messages: [hi],
      tools: names.map((name) => ({ type: "function", function: { name } })),
      tool_choice: {
        type: "allowed_tools",
        allowed_tools: {
          mode: "required",
          tools: allowed.map((name) => ({ type: "function", function: { name } })),
        },
      },
    },
    "openai-responses": {
      input: "Hi",
      tools: names.map((name) => ({ type: "function", name })),
      tool_choice: {
        type: "allowed_tools",
        mode: "required",
        tools: allowed.map((name) => ({ type: "function", name })),
      },
    },
    gemini: {
      contents: [{ role: "user", parts: [{ text: "Hi" }] }],
      tools: [{ functionDeclarations: names.map((name) => ({ name })) }],
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: allowed } },
    },
  };

  it.each(Object.keys(bodies) as DialectId[])("of %s applies at every upstream", (from) => {
    for (const to of ids) {
      const { body } = reported(from, bodies[from] ?? {}, to);
      const again = dialects[to].decodeRequest(body, { model: "m" });
      expect(again.tools?.map((tool) => tool.name)).toEqual(allowed);
      expect(again.toolChoice).toEqual({ type: "required" });
    }
  });
});

describe("log probabilities", () => {
  const content = [
    {
      token: "Hé",
      logprob: -0.25,
      bytes: [72, 195, 169],
      top_logprobs: [
        { token: "Hé", logprob: -0.25, bytes: [72, 195, 169] },
        { token: "Ho", logprob: -2, bytes: [72, 111] },
      ],
    },
  ];
  const logprobs = { content, refusal: null };
  const able = ids.filter((id) => id !== "anthropic");

  it.each(able)("reach a client of %s from such an upstream, complete", (id) => {
    const response: ChatResponse = {
      id: "r",
      model: "m",
      choices: [{ index: 0, parts: [{ type: "text", text: "Hé" }], finish: "stop", logprobs }],
    };
    const wire = JSON.parse(json(dialects[id].encodeResponse(response, ask))) as unknown;
    expect(dialects[id].decodeResponse(wire).choices[0]?.logprobs).toEqual(logprobs);
  });

  it.each(able)("and streamed (%s)", (id) => {
    const events: ChatEvent[] = [
      { type: "start", id: "r", model: "m" },
      { type: "text", choice: 0, part: 0, text: "Hé", logprobs },
      { type: "stop", choice: 0, reason: "stop" },
      { type: "finish" },
    ];
    const encode = dialects[id].encodeStream({ ...ask, stream: true });
    const wire = events.map((event) => encode(event).text).join("");
    const decoder = dialects[id].decodeStream();
    const back = [...wire.matchAll(/^(?:event: (.*)\n)?data: (.*)$/gm)].flatMap(([, event, data]) =>
      decoder.frame({ event, data: data ?? "" }),
    );
    expect(back.find((event) => event.type === "text")).toMatchObject({ text: "Hé", logprobs });
    if (id !== "openai-responses") return;
    const last = [...wire.matchAll(/^data: (.*)$/gm)].at(-1)?.[1] ?? "";
    expect(json((JSON.parse(last) as Wire)["response"])).toContain(json(content).slice(1, -1));
  });
});

describe("a tool result with an image", () => {
  it("of Gemini reaches every upstream", () => {
    const body = {
      contents: [
        { role: "user", parts: [{ text: "Look." }] },
        { role: "model", parts: [{ functionCall: { id: "c", name: "shot", args: {} } }] },
        {
          role: "user",
          parts: [
            {
              functionResponse: {
                id: "c",
                name: "shot",
                response: { result: "Here." },
                parts: [{ inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }],
              },
            },
          ],
        },
      ],
    };
    for (const to of ids) {
      const { body: wire, dropped } = reported("gemini", body, to);
      expect(json(wire)).toContain("iVBORw0KGgo=");
      expect(json(wire)).toContain("Here.");
      expect(dropped).toEqual([]);
    }
  });
});

describe("unsupported content is reported", () => {
  const cached = {
    model: "m",
    max_tokens: 9,
    messages: [
      { role: "user", content: [{ type: "text", text: "Hi", cache_control: { type: "ephemeral" } }] },
    ],
  };
  const failed = {
    model: "m",
    max_tokens: 9,
    messages: [
      hi,
      { role: "assistant", content: [{ type: "tool_use", id: "t", name: "look", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "No.", is_error: true }] },
    ],
  };

  it.each([
    [
      "a cache mark",
      cached,
      {
        "openai-chat": ["cache_control"],
        "openai-responses": ["cache_control"],
        anthropic: [],
        gemini: ["cache_control"],
      },
    ],
    [
      "a failed tool",
      failed,
      { "openai-chat": ["is_error"], "openai-responses": ["is_error"], anthropic: [], gemini: [] },
    ],
  ])("%s", (_what, body, wanted) => {
    for (const to of ids) expect(reported("anthropic", body, to).dropped).toEqual(wanted[to]);
  });

  it("a file uploaded to one provider is not sent to another", () => {
    const openai = {
      model: "m",
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "Hi" },
            { type: "input_file", file_id: "file-abc" },
          ],
        },
      ],
    };
    const source = { type: "file", file_id: "file_abc" };
    const anthropic = {
      model: "m",
      max_tokens: 9,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Hi" },
            { type: "document", source },
          ],
        },
      ],
    };
    for (const [from, body, id, homes] of [
      ["openai-responses", openai, "file-abc", ["openai-chat", "openai-responses"]],
      ["anthropic", anthropic, "file_abc", ["anthropic"]],
    ] as const)
      for (const to of ids) {
        const isHome = (homes as readonly string[]).includes(to);
        const { body: wire, dropped } = reported(from, body, to);
        expect(json(wire).includes(id)).toBe(isHome);
        expect(dropped).toEqual(isHome ? [] : ["file"]);
      }
  });

  it("a service tier is translated or reported", () => {
    const tier = (from: DialectId, to: DialectId, value: string) => {
      const base = from === "anthropic" ? { max_tokens: 9, messages: [hi] } : { messages: [hi] };
      const { body, dropped } = reported(from, { model: "m", ...base, service_tier: value }, to);
      return dropped.includes("service_tier") ? "dropped" : body["service_tier"];
    };
    expect(tier("anthropic", "openai-chat", "standard_only")).toBe("default");
    expect(tier("openai-chat", "anthropic", "default")).toBe("standard_only");
    expect(tier("openai-chat", "anthropic", "auto")).toBe("auto");
    expect(tier("openai-chat", "anthropic", "flex")).toBe("dropped");
    expect(tier("openai-chat", "openai-responses", "flex")).toBe("flex");
    expect(tier("openai-chat", "openai-responses", "whatever")).toBe("dropped");
  });
});

describe("a response of the Responses API", () => {
  it("repeats the caller's own metadata", () => {
    const body = { model: "m", input: "Hi", metadata: { order: "7" } };
    const request = dialects["openai-responses"].decodeRequest(body, {});
    const response: ChatResponse = {
      id: "r",
      model: "m",
      choices: [{ index: 0, parts: [], finish: "stop" }],
    };
    expect(dialects["openai-responses"].encodeResponse(response, request)["metadata"]).toEqual({
      order: "7",
    });
  });
});

describe("a citation", () => {
  const source = { url: "https://example.com/boats", title: "Boats" };
  const parts = [
    { type: "text" as const, text: "I looked. " },
    { type: "text" as const, text: "A boat floats.", citations: [{ ...source, citedText: "boat floats" }] },
    { type: "text" as const, text: " So.", citations: [{ ...source, citedText: "words of the source" }] },
  ];
  const whole: ChatResponse = { id: "r", model: "m", choices: [{ index: 0, parts, finish: "stop" }] };
  const events: ChatEvent[] = [
    { type: "start", id: "r", model: "m" },
    ...parts.flatMap<ChatEvent>(({ text, citations }, part) => [
      { type: "text", choice: 0, part, text },
      ...(citations ?? []).map<ChatEvent>((citation) => ({ type: "citation", choice: 0, part, citation })),
    ]),
    { type: "stop", choice: 0, reason: "stop" },
    { type: "finish" },
  ];
  const streamed = (id: DialectId) => {
    const encode = dialects[id].encodeStream({ ...ask, stream: true });
    return events.map((event) => encode(event).text).join("");
  };

  it("has offsets in the whole text of a chat response", () => {
    const wanted = [
      [12, 23],
      [24, 28],
    ];
    const places = (text: string) =>
      [...text.matchAll(/"start_index":(\d+),"end_index":(\d+)/g)].map((found) => found.slice(1).map(Number));
    expect(places(json(dialects["openai-chat"].encodeResponse(whole, ask)))).toEqual(wanted);
    expect(places(streamed("openai-chat"))).toEqual(wanted);
  });

  it("is in a chunk with a part for Google's client, which forgets a turn that has a chunk without one", () => {
    const chunks = streamed("gemini").match(/(?<=^data: ).+$/gm) ?? [];
    expect(chunks.filter((chunk) => chunk.includes("groundingMetadata"))).toHaveLength(2);
    for (const chunk of chunks)
      expect(JSON.parse(chunk)).toMatchObject({ candidates: [{ content: { parts: [{}], role: "model" } }] });
  });

  it("has offsets in its own part of a Responses response", () => {
    const text = json(dialects["openai-responses"].encodeResponse(whole, ask));
    expect(text).toContain('"start_index":2,"end_index":13');
    expect(text).toContain('"start_index":0,"end_index":4');
    expect(streamed("openai-responses")).toContain('"start_index":2,"end_index":13');
  });

  it.each(ids)("names its source for a client of %s", (id) => {
    for (const wire of [json(dialects[id].encodeResponse(whole, ask)), streamed(id)]) {
      expect(wire).toContain(source.url);
      expect(wire).toContain(source.title);
    }
  });
});

describe("usage", () => {
  const usage = { input: 1_000, output: 300, cacheRead: 100, reasoning: 70 };
  const kinds = { cacheWrite5m: 50, cacheWrite1h: 60, audioInput: 5, audioOutput: 6, imageInput: 8 };
  const kept: Record<DialectId, object> = {
    "openai-chat": { cacheWrite5m: 110, audioInput: 5, audioOutput: 6, imageInput: 8 },
    "openai-responses": { cacheWrite5m: 110 },
    anthropic: { cacheWrite5m: 50, cacheWrite1h: 60, toolCalls: { "web-search": 2 } },
    gemini: { audioInput: 5, audioOutput: 6, imageInput: 8 },
  };

  it.each(ids)("keeps every count that %s can express", (id) => {
    const all = { ...usage, ...kinds, toolCalls: { "web-search": 2 } };
    const response: ChatResponse = {
      id: "r",
      model: "m",
      choices: [{ index: 0, parts: [{ type: "text", text: "x" }], finish: "stop" }],
      usage: all,
    };
    const wire = JSON.parse(json(dialects[id].encodeResponse(response, ask))) as unknown;
    const { raw: _raw, ...back } = dialects[id].decodeResponse(wire).usage ?? { raw: undefined };
    expect(back).toEqual({ ...usage, ...kept[id] });
  });
});
