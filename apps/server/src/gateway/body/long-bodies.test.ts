import { defaultSettings } from "@gateway/shared/site/settings";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Wire } from "#dialects/dialect.ts";
import { clientDialects, dialects } from "#dialects/index.ts";
import type { ClientDialectId, DialectId } from "#dialects/ir.ts";
import { channel } from "#domain/channels/selection/channels.fixture.ts";
import { estimateUsage } from "#domain/pricing/estimate.ts";
import { LONG_TEXT, longTextOf, longTextsOf, stringifyLong } from "#platform/memory/long-texts.ts";
import { encodeBody } from "#relay/chat/encode-chat.ts";
import { anyCharacter, runs } from "#test/property-runs.ts";
import { limitCost, decodeBody } from "./decode-body.ts";
import { readJson } from "./json-body.ts";
import { readings } from "./readings.ts";

const prose = 'The "quick" brown fox\n\tjumps over the lazy dog. 敏捷的棕色狐狸 🦊 é ';
const long = (piece: string, length = 30_000) => piece.repeat(Math.ceil(length / piece.length));
const base64 = Buffer.from(long("picture")).toString("base64");

/** One body per dialect, with long texts and base64 wherever clients put them. */
const bodies: Record<ClientDialectId, Wire> = {
  "openai-chat": {
    model: "gpt",
    stream: true,
    max_tokens: 50,
    n_predict: 70,
    messages: [
      { role: "system", content: long(prose) },
      { role: "user", name: "ann", content: long("x") },
      {
        role: "user",
        content: [
          { type: "text", text: long(prose), cache_control: { type: "ephemeral" } },
          { type: "text", text: "short" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${base64}`, detail: "high" } },
          { type: "image_url", image_url: { url: `data:text/plain,${long("a%20b")}` } },
          { type: "image_url", image_url: { url: `https://example.com/${long("path/")}` } },
          { type: "input_audio", input_audio: { data: base64, format: "wav" } },
          { type: "file", file: { file_data: base64, filename: "a.pdf" } },
        ],
      },
      {
        role: "assistant",
        content: long(prose),
        tool_calls: [
          {
            id: "c1",
            type: "function",
            function: { name: "f", arguments: JSON.stringify({ text: long(prose) }) },
          },
        ],
      },
      { role: "tool", tool_call_id: "c1", content: long(prose) },
    ],
    prediction: { type: "content", content: long(prose) },
    metadata: { text: long(prose), other: long(prose) },
  },
  "openai-responses": {
    model: "gpt",
    instructions: long(prose),
    input: [
      { role: "user", content: long(prose) },
      {
        role: "user",
        content: [
          { type: "input_text", text: long(prose) },
          { type: "input_image", image_url: `data:image/png;base64,${base64}` },
          { type: "input_file", file_data: `data:application/pdf;base64,${base64}`, filename: "a.pdf" },
        ],
      },
    ],
  },
  anthropic: {
    model: "claude",
    max_tokens: 100,
    system: [{ type: "text", text: long(prose), cache_control: { type: "ephemeral" } }],
    messages: [
      { role: "user", content: long(prose) },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "t1", name: "f", input: { text: long(prose) } }],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: long(prose) }] },
          { type: "image", source: { type: "base64", media_type: "image/png", data: base64 } },
          { type: "document", source: { type: "text", media_type: "text/plain", data: long(prose) } },
          { type: "text", text: long(prose) },
        ],
      },
    ],
  },
  gemini: {
    systemInstruction: { parts: [{ text: long(prose) }] },
    contents: [
      {
        role: "user",
        parts: [
          { text: long(prose) },
          { text: long(prose) },
          { inlineData: { mimeType: "image/png", data: base64 } },
        ],
      },
      { role: "model", parts: [{ text: long(prose), thought: true }, { text: long(prose) }] },
      { role: "user", parts: [{ functionResponse: { name: "f", response: { content: long(prose) } } }] },
    ],
  },
  interactions: {
    model: "gpt",
    stream: true,
    system_instruction: long(prose),
    max_tokens: 70,
    generation_config: { max_output_tokens: 50 },
    input: [
      {
        type: "user_input",
        content: [
          { type: "text", text: long(prose) },
          { type: "image", data: base64, mime_type: "image/png" },
          { type: "image", uri: `data:image/png;base64,${base64}` },
          { type: "document", data: base64, mime_type: "application/pdf" },
          { type: "audio", data: base64, mime_type: "audio/wav" },
        ],
      },
      { type: "thought", signature: long("c2ln"), summary: [{ type: "text", text: long(prose) }] },
      { type: "function_call", id: "c1", name: "f", arguments: { text: long(prose) } },
      { type: "function_result", call_id: "c1", name: "f", result: { text: long(prose) } },
      { type: "function_call", id: "c2", name: "f", arguments: {} },
      { type: "function_result", call_id: "c2", result: [{ type: "text", text: long(prose) }] },
      { type: "model_output", content: [{ type: "text", text: long(prose) }] },
      { role: "user", content: long(prose) },
    ],
    tools: [{ type: "function", name: "f", description: long(prose), parameters: { type: "object" } }],
  },
};

const ids = Object.keys(bodies) as ClientDialectId[];
const address = { model: "gpt" };

function read(dialect: ClientDialectId, body: unknown) {
  return readJson(Buffer.from(JSON.stringify(body)), readings[dialect]);
}

/** Decodes a body as the gateway does, and without long texts. */
function both(dialect: ClientDialectId) {
  const client = clientDialects[dialect];
  const { json } = limitCost(client, read(dialect, bodies[dialect]));
  const plain = JSON.parse(String(json.raw)) as Wire;
  return {
    kept: { client, ...json, request: decodeBody(client, json, address) },
    plain: { client, body: plain, raw: Buffer.from(json.raw), request: client.decodeRequest(plain, address) },
  };
}

describe("a large body", () => {
  it.each(ids)("of %s: parses to the same objects", (dialect) => {
    const { raw, body } = read(dialect, bodies[dialect]);
    expect(longTextsOf(raw)?.texts.length).toBeGreaterThan(3);
    expect(JSON.parse(JSON.stringify(body))).toEqual(bodies[dialect]);
    expect(body).toEqual(bodies[dialect]);
  });

  it.each(ids)("of %s: decodes to the same request", (dialect) => {
    const { kept, plain } = both(dialect);
    expect(kept.request).toEqual(plain.request);
    expect(kept.body).toEqual(plain.body);
    expect(JSON.parse(String(kept.raw))).toEqual(plain.body);
  });

  it("keeps its texts as bytes until they are read", () => {
    const [system, user, pictures] = bodies["openai-chat"]["messages"] as Wire[];
    const [text, , picture] = (pictures?.["content"] ?? []) as Wire[];
    const body = { model: "gpt", messages: [system, user, { role: "user", content: [text, picture] }] };
    const request = decodeBody(dialects["openai-chat"], read("openai-chat", body), {});
    const parts = request.messages.flatMap((message) => message.parts);
    expect(parts.filter((part) => longTextOf(part, "text") !== undefined)).toHaveLength(3);
    const sources = parts.flatMap((part) => (part.type === "image" ? [part.source] : []));
    expect(sources.filter((source) => longTextOf(source, "data") !== undefined)).toHaveLength(1);
    expect(parts.map((part) => (part.type === "text" ? part.text : ""))).toEqual([
      long(prose),
      long("x"),
      long(prose),
      "",
    ]);
  });

  const upstreams = Object.keys(dialects) as DialectId[];
  const targets = ids.flatMap((from) => upstreams.map((to) => [from, to] as const));
  it.each(targets)("of %s: is encoded for a channel of %s as without long texts", (from, to) => {
    const { kept, plain } = both(from);
    const chosen = {
      channel: channel({ id: 1, systemPrompt: "Be brief.", parameters: { seed: 7 } }),
      upstreamModel: "another-model",
    };
    const shape = { model: "another-model", stream: true, other: "", plugin: {} };
    const [mine, wanted] = [kept, plain].map((given) => {
      const { body, dropped } = encodeBody(given, chosen, dialects[to], shape, defaultSettings);
      return { body: JSON.parse(String(body)) as Wire, dropped };
    });
    expect(mine).toEqual(wanted);
  });

  it.each(ids)("of %s: has the same or a slightly higher estimate as without long texts", (dialect) => {
    const { kept, plain } = both(dialect);
    const [mine, wanted] = [kept, plain].map(({ request }) =>
      estimateUsage(request, { maxOutputTokens: 100 }),
    );
    expect(mine?.input).toBeGreaterThanOrEqual(wanted?.input ?? 0);
    expect(mine?.input).toBeLessThan((wanted?.input ?? 0) * 1.1);
    const most = mine?.mostInput;
    expect(most?.input ?? 0).toBeGreaterThanOrEqual(wanted?.mostInput?.input ?? 0);
    expect(most?.input ?? 0).toBeLessThanOrEqual((wanted?.mostInput?.input ?? 0) * 1.1);
    const without = { input: 0, imageInput: 0, cacheWrite5m: 0, mostInput: undefined };
    expect({ ...mine, ...without }).toEqual({ ...wanted, ...without });
  });

  it("is estimated by samples if very long, whatever its content", () => {
    for (const piece of [prose, "x", "敏捷的棕色狐狸", "word ", base64.slice(0, 1_000)]) {
      const body = { model: "gpt", messages: [{ role: "user", content: long(piece, 1_000_000) }] };
      const client = dialects["openai-chat"];
      const mine = estimateUsage(decodeBody(client, read("openai-chat", body), {}), { maxOutputTokens: 1 });
      const wanted = estimateUsage(client.decodeRequest(body, {}), { maxOutputTokens: 1 });
      expect(mine.input / wanted.input).toBeGreaterThan(0.9);
      expect(mine.input / wanted.input).toBeLessThan(1.2);
    }
  });

  it("parses any JSON as JSON.parse does, and is written with the received bytes", () => {
    const name = fc.constantFrom("content", "text", "url", "data", "input", "other");
    const text = fc.string({ unit: anyCharacter }).map((piece) => long(`${piece} "\\\u0001`, LONG_TEXT + 10));
    const value = fc.dictionary(
      name,
      fc.oneof(text, fc.string(), fc.array(fc.record({ text, content: text }))),
    );
    fc.assert(
      fc.property(value, (inner) => {
        // A lone surrogate is written as an escape.
        const body = { ...inner, padding: "p".repeat(70_000) };
        const raw = Buffer.from(JSON.stringify(body));
        const json = readJson(raw, readings["openai-chat"]);
        const wanted = JSON.parse(String(raw)) as Wire;
        const texts = longTextsOf(json.raw);
        if (texts !== undefined) {
          expect(JSON.parse(String(stringifyLong({ a: json.body }, texts)))).toEqual({ a: wanted });
          expect(String(stringifyLong(json.body, texts))).toBe(String(raw));
        }
        expect(json.body).toEqual(wanted);
      }),
      { numRuns: runs(30) },
    );
  });

  it.each([
    ["a line break", "\n"],
    ["a NUL", "\0"],
    ["an unknown escape", "\\x"],
    ["half an escape", "\\u12"],
    ["an escape of no number", "\\u12g4"],
  ])("is rejected when a long text has %s", (_, wrong) => {
    for (const at of [0, 1, 2, 3, 4_500, 80_000]) {
      const content = `${"x".repeat(at)}${wrong}${"x".repeat(80_001 - at)}`;
      const text = `{"messages":[{"role":"user","content":"${content}"}]}`;
      expect(() => readJson(Buffer.from(text), readings["openai-chat"])).toThrow(/not valid JSON/);
    }
  });

  it("is rejected when a key is repeated or has another spelling", () => {
    const content = JSON.stringify(long(prose, 80_000));
    const twice = `{"messages":[{"role":"user","content":${content},"content":"short"}]}`;
    expect(() => readJson(Buffer.from(twice), readings["openai-chat"])).toThrow(
      /messages\.0\.content" occurs/,
    );
    const other = `{"messages":[{"role":"user","content":${content},"Content":"short"}]}`;
    expect(() => readJson(Buffer.from(other), readings["openai-chat"])).toThrow(/must be spelled "content"/);
  });

  it("is rewritten with the received bytes when a key is repeated in a free-form area", () => {
    const content = JSON.stringify(long(prose, 80_000));
    const text = `{"messages":[{"role":"user","content":${content}}],"metadata":{"a":1,"a":2}}`;
    const { raw, body } = readJson(Buffer.from(text), readings["openai-chat"]);
    expect(JSON.parse(String(raw))).toEqual(JSON.parse(text));
    expect(body).toEqual(JSON.parse(text));
  });

  it("allows changes of its objects", () => {
    const { body } = read("openai-chat", bodies["openai-chat"]);
    const [message] = body["messages"] as Wire[];
    expect({ ...message }["content"]).toBe(long(prose));
    Object.assign(message ?? {}, { content: "other" });
    expect(message).toEqual({ role: "system", content: "other" });
  });
});
