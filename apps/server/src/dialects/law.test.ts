import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "#test/property-runs.ts";
import { dialects } from "./index.ts";
import type { ChatRequest, DialectId, Message, Part, Tool } from "./ir.ts";

/**
 * Generators for everything that a dialect can express. Decoding an encoded value must return the same value.
 */
interface Speech {
  /** Text of an assistant part; a tool result may be any text. */
  text: fc.Arbitrary<string>;
  system: fc.Arbitrary<Message[]>;
  userPart: fc.Arbitrary<Part>;
  reasoning: fc.Arbitrary<Part>;
  /** Several texts of one message stay separate. */
  manyTexts: boolean;
  callSignature: boolean;
  resultName: boolean;
  resultsTogether: boolean;
  errors: boolean;
  tool: fc.Arbitrary<Tool>;
  options: fc.Arbitrary<Partial<ChatRequest>>;
}

const some = <T>(arb: fc.Arbitrary<T>) => fc.option(arb, { nil: undefined });
const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });
const name = fc.constantFrom("look", "get_time", "weather-2");
const base64 = fc.constantFrom("iVBORw0KGgo=", "JVBERi0=", "AA==");
/** Anthropic's API rejects a text block of white space only, so its encoder omits such a block. */
const visibleText = text.filter((each) => each.trim() !== "");
const textPartOf = (texts: fc.Arbitrary<string>) => texts.map<Part>((each) => ({ type: "text", text: each }));
const textPart = textPartOf(text);
const proofText = fc.constantFrom("c2lnbmF0dXJl", "ZW5jcnlwdGVk+/=");
const input = fc
  .dictionary(fc.constantFrom("a", "city", "n"), fc.jsonValue({ maxDepth: 2 }))
  .map((each) => JSON.stringify(each));
const schema = fc.constantFrom(
  { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false },
  { type: "object", properties: {}, additionalProperties: false },
);

function image(detail: boolean, url: boolean): fc.Arbitrary<Part> {
  const data = base64.map((each) => ({ type: "data" as const, mediaType: "image/png", data: each }));
  const source = url
    ? fc.oneof(data, fc.constant({ type: "url" as const, url: "https://example.com/a.png" }))
    : data;
  const details = detail ? fc.constantFrom("low", "auto") : fc.constant(undefined);
  return fc.record({ type: fc.constant("image" as const), source, detail: details });
}

const pdf: fc.Arbitrary<Part> = base64.map((data) => ({
  type: "file",
  source: { type: "data", mediaType: "application/pdf", data },
  filename: "a.pdf",
}));

const audio: fc.Arbitrary<Part> = base64.map((data) => ({
  type: "audio",
  source: { type: "data", mediaType: "audio/wav", data },
  format: "wav",
}));

const cache = fc.constantFrom(undefined, {}, { ttl: "5m" as const }, { ttl: "1h" as const });
const choice = fc.oneof(
  fc.constantFrom({ type: "auto" as const }, { type: "none" as const }, { type: "required" as const }),
  name.map((each) => ({ type: "tool" as const, name: each })),
);
const sampling = { temperature: some(fc.constantFrom(0, 0.5, 1)), topP: some(fc.constantFrom(0, 0.3, 1)) };
const penalties = {
  presencePenalty: some(fc.constantFrom(0, -1, 2)),
  frequencyPenalty: some(fc.constantFrom(0, 1.5)),
};
const stop = some(fc.array(fc.constantFrom("END", "###"), { minLength: 1, maxLength: 2 }));
const maxOutputTokens = some(fc.constantFrom(1, 4096));
const effort = fc.constantFrom(
  "none" as const,
  "minimal" as const,
  "low" as const,
  "high" as const,
  "max" as const,
);
const jsonSchema = schema.map((each) => ({
  type: "json-schema" as const,
  name: "answer",
  schema: each,
  strict: true,
}));
const format = fc.oneof(fc.constantFrom({ type: "text" as const }, { type: "json" as const }), jsonSchema);
const bareFormat = schema.map((each) => ({ type: "json-schema" as const, schema: each }));

const plainSystem = some(text).map<Message[]>((each) =>
  each === undefined ? [] : [{ role: "system", parts: [{ type: "text", text: each }] }],
);

const speeches: Record<DialectId, Speech> = {
  "openai-chat": {
    text,
    system: fc
      .tuple(fc.constantFrom("system" as const, "developer" as const), text)
      .map(([role, each]) => [{ role, parts: [{ type: "text", text: each }] }]),
    userPart: fc.oneof(textPart, image(true, true), pdf, audio),
    reasoning: fc.oneof(
      text.map<Part>((each) => ({ type: "reasoning", text: each })),
      fc.record({
        type: fc.constant("reasoning" as const),
        text,
        signature: proofText,
        id: some(fc.constant("rs_1")),
      }),
      proofText.map<Part>((encrypted) => ({ type: "reasoning", text: "", encrypted })),
      fc.record({
        type: fc.constant("reasoning" as const),
        text,
        encrypted: proofText,
        id: fc.constant("rs_2"),
      }),
    ),
    manyTexts: false,
    callSignature: true,
    resultName: false,
    resultsTogether: false,
    errors: false,
    tool: fc.record({ name, description: some(text), schema: some(schema), strict: some(fc.boolean()) }),
    options: fc.record({
      ...sampling,
      ...penalties,
      stop,
      maxOutputTokens,
      toolChoice: some(choice),
      parallelToolCalls: some(fc.boolean()),
      seed: some(fc.integer()),
      logprobs: some(fc.boolean()),
      topLogprobs: some(fc.constantFrom(0, 5)),
      n: some(fc.constantFrom(1, 3)),
      responseFormat: some(format),
      reasoning: some(effort.map((each) => ({ effort: each }))),
      serviceTier: some(fc.constantFrom("flex", "auto")),
      user: some(text),
      extra: some(
        fc.constant({
          dialect: "openai-chat" as const,
          fields: { verbosity: "low", logit_bias: { "1": 2 } },
        }),
      ),
    }),
  },
  "openai-responses": {
    text,
    system: plainSystem,
    userPart: fc.oneof(
      textPart,
      image(true, true).filter((part) => part.type === "image" && part.detail !== undefined),
      pdf,
      audio,
    ),
    reasoning: fc.record({
      type: fc.constant("reasoning" as const),
      text: fc.oneof(text, fc.constant("")),
      encrypted: proofText,
      id: some(fc.constant("rs_1")),
    }),
    manyTexts: true,
    callSignature: false,
    resultName: false,
    resultsTogether: true,
    errors: false,
    tool: fc.record({ name, description: some(text), schema, strict: fc.boolean() }),
    options: fc.record({
      ...sampling,
      maxOutputTokens,
      toolChoice: some(choice),
      parallelToolCalls: some(fc.boolean()),
      logprobs: fc.constantFrom(undefined, true),
      topLogprobs: some(fc.constantFrom(0, 5)),
      responseFormat: some(format),
      reasoning: some(fc.record({ effort: some(effort), summary: fc.constant("auto" as const) })),
      serviceTier: some(fc.constantFrom("flex", "auto")),
      user: some(text),
      includeUsage: fc.constant(true),
      extra: fc.constantFrom(
        { dialect: "openai-responses" as const, fields: { store: false } },
        {
          dialect: "openai-responses" as const,
          fields: { store: true, text: { verbosity: "low" }, include: ["x"] },
        },
      ),
    }),
  },
  anthropic: {
    text: visibleText,
    system: fc
      .array(fc.record({ type: fc.constant("text" as const), text: visibleText, cache }), { maxLength: 2 })
      .map<Message[]>((parts) => (parts.length === 0 ? [] : [{ role: "system", parts }])),
    userPart: fc.oneof(
      fc.record({ type: fc.constant("text" as const), text: visibleText, cache }),
      image(false, true),
      pdf,
      text.map<Part>((each) => ({
        type: "file",
        source: {
          type: "data",
          mediaType: "text/plain",
          data: Buffer.from(each.toWellFormed()).toString("base64"),
        },
      })),
    ),
    reasoning: fc.oneof(
      fc.record({
        type: fc.constant("reasoning" as const),
        text: fc.oneof(text, fc.constant("")),
        signature: proofText,
      }),
      proofText.map<Part>((encrypted) => ({ type: "reasoning", text: "", encrypted })),
    ),
    manyTexts: true,
    callSignature: false,
    resultName: false,
    resultsTogether: true,
    errors: true,
    tool: fc.record({ name, description: some(text), schema, strict: some(fc.boolean()), cache }),
    options: fc
      .tuple(
        fc.record({
          stop,
          maxOutputTokens: fc.constant(4096),
          parallelToolCalls: some(fc.boolean()),
          responseFormat: some(bareFormat),
          serviceTier: some(fc.constantFrom("auto", "standard_only")),
          user: some(text),
          includeUsage: fc.constant(true),
          extra: some(fc.constant({ dialect: "anthropic" as const, fields: { container: "c" } })),
        }),
        fc.oneof(
          fc.record({ ...sampling, topK: some(fc.constantFrom(0, 40)), toolChoice: fc.oneof(choice) }),
          fc.record({
            reasoning: fc.constantFrom({ budgetTokens: 2048 }, { adaptive: true }),
            toolChoice: fc.constant({ type: "auto" as const }),
          }),
          fc.record({
            reasoning: fc.constant({ adaptive: true, effort: "high" as const }),
            toolChoice: fc.constant({ type: "auto" as const }),
          }),
          fc.record({ reasoning: fc.constant({ effort: "none" as const }), toolChoice: fc.oneof(choice) }),
        ),
      )
      .map(([one, other]) => ({ ...one, ...other }))
      // "none" cannot be combined with a setting for parallel calls.
      .map((all) => (all.toolChoice.type === "none" ? { ...all, parallelToolCalls: undefined } : all)),
  },
  gemini: {
    text,
    system: plainSystem,
    userPart: fc.oneof(textPart, image(false, false), audio),
    reasoning: fc.oneof(
      fc.record({ type: fc.constant("reasoning" as const), text, signature: some(proofText) }),
      proofText.map<Part>((signature) => ({ type: "reasoning", text: "", signature })),
    ),
    manyTexts: true,
    callSignature: true,
    resultName: true,
    resultsTogether: true,
    errors: true,
    tool: fc.record({ name, description: some(text), schema: some(schema) }),
    options: fc.record({
      ...sampling,
      ...penalties,
      topK: some(fc.constantFrom(0, 40)),
      stop,
      maxOutputTokens,
      toolChoice: some(choice),
      seed: some(fc.integer()),
      logprobs: some(fc.boolean()),
      topLogprobs: some(fc.constantFrom(0, 5)),
      n: some(fc.constantFrom(1, 3)),
      responseFormat: some(
        fc.oneof(fc.constantFrom({ type: "text" as const }, { type: "json" as const }), bareFormat),
      ),
      reasoning: some(
        fc.constantFrom(
          { budgetTokens: 512, summary: "auto" as const },
          { adaptive: true, summary: "auto" as const },
          { effort: "none" as const },
        ),
      ),
      includeUsage: fc.constant(true),
      extra: some(
        fc.constant({
          dialect: "gemini" as const,
          fields: { cachedContent: "c", generationConfig: { responseModalities: ["TEXT"] } },
        }),
      ),
    }),
  },
};

/** One exchange: user message, assistant reasoning, text and calls, tool results. */
function exchange(speech: Speech): fc.Arbitrary<Message[]> {
  const call = fc.record({
    name,
    input,
    signature: speech.callSignature ? some(proofText) : fc.constant(undefined),
    answer: text,
    isError: speech.errors ? fc.constantFrom(undefined, true) : fc.constant(undefined),
  });
  const texts = fc.array(textPartOf(speech.text), { maxLength: speech.manyTexts ? 2 : 1 });
  return fc
    .tuple(
      fc.array(speech.userPart, { minLength: 1, maxLength: 3 }),
      fc.array(speech.reasoning, { maxLength: 1 }),
      texts,
      fc.array(call, { maxLength: 3 }),
      fc.uuid(),
    )
    .map(([parts, reasoning, spoken, calls, id]) => {
      const assistant: Part[] = [
        ...reasoning,
        ...spoken,
        ...calls.map<Part>((each, index) => ({
          type: "tool-call",
          id: `call_${id}_${index}`,
          name: each.name,
          input: each.input,
          signature: each.signature,
        })),
      ];
      const results = calls.map<Part>((each, index) => ({
        type: "tool-result",
        callId: `call_${id}_${index}`,
        name: speech.resultName ? each.name : undefined,
        parts: [{ type: "text", text: each.answer }],
        isError: each.isError,
      }));
      const messages: Message[] = [{ role: "user", parts }];
      if (assistant.length > 0) messages.push({ role: "assistant", parts: assistant });
      if (results.length === 0) return messages;
      if (speech.resultsTogether) return [...messages, { role: "tool", parts: results }];
      return [...messages, ...results.map<Message>((each) => ({ role: "tool", parts: [each] }))];
    });
}

function request(id: DialectId): fc.Arbitrary<ChatRequest> {
  const speech = speeches[id];
  return fc
    .record({
      system: speech.system,
      exchanges: fc.array(exchange(speech), { maxLength: 3 }),
      last: fc.array(speech.userPart, { minLength: 1, maxLength: 2 }),
      tools: fc.array(speech.tool, { minLength: 1, maxLength: 2 }),
      options: speech.options,
      stream: fc.boolean(),
    })
    .map(({ system, exchanges, last, tools, options, stream }) => ({
      model: "some-model",
      stream,
      messages: joined([...system, ...exchanges.flat(), { role: "user", parts: last }]),
      tools,
      includeUsage: stream || undefined,
      ...options,
    }));
}

/** Joins consecutive messages of one role, for formats that only have turns. */
function joined(messages: Message[]): Message[] {
  const result: Message[] = [];
  for (const message of messages) {
    const last = result.at(-1);
    if (last?.role === "user" && message.role === "user") last.parts = [...last.parts, ...message.parts];
    else result.push({ ...message });
  }
  return result;
}

describe.each(Object.keys(dialects) as DialectId[])("round trip of %s", (id) => {
  it("returns every request that it can express", () => {
    fc.assert(
      fc.property(request(id), (value) => {
        const { body, dropped } = dialects[id].encodeRequest(value);
        expect(dropped).toEqual([]);
        const wire = JSON.parse(JSON.stringify(body)) as unknown;
        const { repeat: _forAnswers, ...back } = dialects[id].decodeRequest(wire, {
          model: value.model,
          stream: value.stream,
        });
        expect(back).toEqual(value);
      }),
      { numRuns: runs(100) },
    );
  });

  it("encodes every request of another dialect and never throws", () => {
    const any = fc
      .constantFrom(...(Object.keys(dialects) as DialectId[]))
      .chain(request)
      .filter((value) =>
        value.messages.some((message) => message.parts.some((part) => part.type === "text")),
      );
    fc.assert(
      fc.property(any, (value) => {
        const { body } = dialects[id].encodeRequest(value);
        const wire = JSON.parse(JSON.stringify(body)) as unknown;
        const back = dialects[id].decodeRequest(wire, { model: value.model, stream: value.stream });
        const names = (each: ChatRequest) =>
          each.messages
            .flatMap((message) => message.parts)
            .flatMap((part) => (part.type === "tool-call" ? [part.name] : []));
        expect(names(back)).toEqual(names(value));
      }),
      { numRuns: runs(60) },
    );
  });
});
