import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GatewayError, internalError, invalidRequest } from "#errors.ts";
import { runs } from "#test/property-runs.ts";
import type { Dialect, Frame } from "./dialect.ts";
import { dialects } from "./index.ts";
import type { ChatEvent, ChatRequest, DialectId, Part, Usage } from "./ir.ts";
import { createFrameSplitter, type RawFrame } from "./stream/sse.ts";
import { billedUsage } from "./usage/service-tier.ts";

declare global {
  interface ImportMeta {
    glob(pattern: string, options: object): Record<string, string>;
  }
}

const files = import.meta.glob("./*/fixtures/*", { query: "?raw", import: "default", eager: true });

const ids = Object.keys(dialects) as DialectId[];

interface Fixture {
  dialect: Dialect;
  name: string;
  text: string;
}

/**
 * Returns the fixtures of a kind: `.request.json`, `.error.json`, `.sse`, or complete responses (`.json`).
 */
function fixtures(kind: ".request.json" | ".error.json" | ".sse" | ".json"): Fixture[] {
  return Object.entries(files).flatMap(([path, text]) => {
    const [, id, , file] = path.split("/") as [string, DialectId, string, string];
    if (!file.endsWith(kind)) return [];
    if (kind === ".json" && /\.(request|error|array)\.json$/.test(file)) return [];
    return [{ dialect: dialects[id], name: `${id}/${file}`, text }];
  });
}

const bytes = (text: string) => new TextEncoder().encode(text);

function framesOf(text: string, cuts: number[] = []): RawFrame[] {
  const all = bytes(text);
  const splitter = createFrameSplitter();
  const frames: RawFrame[] = [];
  let from = 0;
  for (const cut of [...cuts.map((at) => at % (all.length + 1)).toSorted((a, b) => a - b), all.length]) {
    frames.push(...splitter.push(all.subarray(from, cut)));
    from = cut;
  }
  return [...frames, ...splitter.flush()];
}

function eventsOf(dialect: Dialect, frames: Frame[]): ChatEvent[] {
  const decoder = dialect.decodeStream();
  return [...frames.flatMap((frame) => decoder.frame(frame)), ...decoder.end()];
}

const decodeText = (dialect: Dialect, text: string, cuts: number[] = []) =>
  eventsOf(
    dialect,
    framesOf(text, cuts).map((each) => each.frame),
  );

/** Content of a response, independent of how it is divided into parts. */
interface Output {
  text: string;
  reasoning: string;
  /** Number of proofs of reasoning, calls and texts, in any field. */
  proofs: number;
  calls: Array<{ name: string; input: unknown }>;
}

const nothing = (): Output => ({ text: "", reasoning: "", proofs: 0, calls: [] });
const parsed = (input: string): unknown => JSON.parse(input === "" ? "{}" : input);

function outputOfParts(parts: Part[]): Output {
  const output = nothing();
  for (const part of parts) {
    if (part.type === "text" || part.type === "refusal") output.text += part.text;
    if (part.type === "reasoning") {
      output.reasoning += part.text;
      if (part.signature !== undefined || part.encrypted !== undefined) output.proofs += 1;
    }
    if (part.type === "tool-call" && part.signature !== undefined) output.proofs += 1;
    if (part.type === "tool-call") output.calls.push({ name: part.name, input: parsed(part.input) });
  }
  return output;
}

function outputOfEvents(events: ChatEvent[]): Output {
  const output = nothing();
  const calls = new Map<number, { name: string; input: string }>();
  for (const event of events) {
    if ("choice" in event && event.choice !== 0) continue;
    if (event.type === "text" || event.type === "refusal") output.text += event.text;
    if (event.type === "reasoning") output.reasoning += event.text;
    if (event.type === "reasoning-proof") output.proofs += 1;
    if (event.type === "tool-call" && event.signature !== undefined) output.proofs += 1;
    if (event.type === "tool-call") calls.set(event.part, { name: event.name, input: "" });
    if (event.type === "tool-input") calls.get(event.part)!.input += event.text;
  }
  output.calls = [...calls.values()].map((call) => ({ name: call.name, input: parsed(call.input) }));
  return output;
}

/**
 * Counts proofs after the text that belong to neither reasoning nor a call;
 * a Messages client would take such a block for the response.
 */
function proofsOfText(events: Array<Part | ChatEvent>, isProof: (each: Part | ChatEvent) => boolean): number {
  const spoken = events.findIndex((each) => each.type === "text");
  return spoken === -1 ? 0 : events.slice(spoken).filter(isProof).length;
}

const counts = (usage: Usage | undefined) => usage && { input: usage.input, output: usage.output };

function expectOrder(events: ChatEvent[]): void {
  expect(events.filter((event) => event.type === "start")).toHaveLength(1);
  expect(events[0]?.type).toBe("start");
  const ends = events.filter((event) => event.type === "finish" || event.type === "error");
  expect(ends).toHaveLength(1);
  expect(events.at(-1)).toBe(ends[0]);
}

/** A request without special options. */
const requested = (stream: boolean): ChatRequest => ({
  model: "some-model",
  stream,
  messages: [{ role: "user", parts: [{ type: "text", text: "hi" }] }],
  includeUsage: true,
});

function encodeAll(
  dialect: Dialect,
  events: ChatEvent[],
): { text: string; lasts: number; lastAtEnd: boolean } {
  const encode = dialect.encodeStream(requested(true));
  const pieces = events.map(encode);
  return {
    text: pieces.map((piece) => piece.text).join(""),
    lasts: pieces.filter((piece) => piece.last).length,
    lastAtEnd: pieces.at(-1)?.last === true,
  };
}

describe("the registry", () => {
  it.each(ids)("knows %s by its own id, with its fixtures", (id) => {
    expect(dialects[id].id).toBe(id);
    for (const kind of [".request.json", ".error.json", ".sse", ".json"] as const) {
      expect(fixtures(kind).filter((each) => each.dialect.id === id).length).toBeGreaterThan(0);
    }
  });

  it.each(ids)("returns a path below the provider's base URL for %s", (id) => {
    expect(dialects[id].path({ model: "m", stream: true })).toMatch(/^\/v1/);
  });
});

describe.each(fixtures(".json"))("the complete response $name", ({ dialect, text }) => {
  const response = dialect.decodeResponse(JSON.parse(text));

  it("is decoded with its id, model and counts", () => {
    expect(response.id).not.toBe("");
    expect(response.model).not.toBe("");
    expect(response.choices.length).toBeGreaterThan(0);
    expect(response.usage?.input).toBeGreaterThan(0);
    for (const part of response.choices.flatMap((choice) => choice.parts)) {
      if (part.type === "tool-call") expect(part.id).not.toBe("");
    }
  });

  it("is skimmed to the same usage as it is decoded", () => {
    const { usage, tally } = dialect.skimResponse(text, () => true);
    expect(usage).toEqual(billedUsage(response));
    const output = outputOfParts(response.choices.flatMap((choice) => choice.parts));
    expect(tally.narrow + tally.wide).toBeGreaterThanOrEqual(output.text.length);
  });

  it.each(ids)("is encoded for a client of %s without losing text", (id) => {
    const client = dialects[id];
    const wire = JSON.parse(JSON.stringify(client.encodeResponse(response, requested(false)))) as unknown;
    const back = client.decodeResponse(wire);
    const before = response.choices[0]!;
    const after = back.choices[0]!;
    const output = outputOfParts(before.parts);
    const again = outputOfParts(after.parts);
    expect(again.calls).toEqual(output.calls);
    expect(again.reasoning).toBe(output.reasoning);
    const lost = id === "anthropic" ? proofsOfText(before.parts, (part) => part.type === "reasoning") : 0;
    expect(again.proofs).toBe(output.proofs - lost);
    expect(again.text).toContain(output.text);
    expect(counts(back.usage)).toEqual(counts(response.usage));
    if (before.finish === "tool-calls" || before.finish === "length")
      expect(after.finish).toBe(before.finish);
  });
});

describe.each(fixtures(".sse"))("the stream $name", ({ dialect, name, text }) => {
  const events = decodeText(dialect, text);
  const fails = name.includes("error");

  it("starts with one start event and ends with one finish or error", () => {
    expectOrder(events);
    expect(events.at(-1)?.type).toBe(fails ? "error" : "finish");
  });

  it("gives the same events wherever its bytes are cut", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 40 }), (cuts) => {
        expect(decodeText(dialect, text, cuts)).toEqual(events);
      }),
      { numRuns: runs(20) },
    );
  });

  it("never throws and always ends once when it is cut off", () => {
    fc.assert(
      fc.property(fc.nat({ max: text.length }), (end) => {
        expectOrder(decodeText(dialect, text.slice(0, end)));
      }),
      { numRuns: runs(30) },
    );
  });

  it("is skimmed to the same usage and text as it is decoded", () => {
    const skimmer = dialect.skim();
    for (const { frame } of framesOf(text)) skimmer.frame(frame);
    const last = events.at(-1);
    if (last?.type === "finish") expect(skimmer.usage).toEqual(billedUsage(last));
    expect(skimmer.complete).toBe(!fails);
    expect(skimmer.error === undefined).toBe(!fails);
    const output = outputOfEvents(events);
    expect(skimmer.tally.narrow + skimmer.tally.wide).toBeGreaterThanOrEqual(Array.from(output.text).length);
  });

  it("marks the frame that lets a client take the response for complete", () => {
    const frames = framesOf(text).map((each) => each.frame);
    const first = frames.findIndex((frame) => dialect.isLast(frame));
    expect(first === -1).toBe(fails);
    if (fails) return;
    const before = outputOfEvents(eventsOf(dialect, frames.slice(0, first + 1)));
    expect(before).toEqual(outputOfEvents(events));
  });

  it.each(ids)("is encoded for a client of %s as a well-formed stream", (id) => {
    const client = dialects[id];
    const { text: wire, lasts, lastAtEnd } = encodeAll(client, events);
    if (fails) {
      expect(lasts).toBe(0);
      return;
    }
    expect(lasts).toBe(1);
    expect(lastAtEnd).toBe(true);
    const back = decodeText(client, wire);
    expectOrder(back);
    expect(back.at(-1)?.type).toBe("finish");
    const output = outputOfEvents(events);
    const isProof = (each: Part | ChatEvent) => each.type === "reasoning-proof";
    if (id === "anthropic") output.proofs -= proofsOfText(events, isProof);
    expect(outputOfEvents(back)).toEqual(output);
    const [before, after] = [events.at(-1), back.at(-1)];
    if (before?.type !== "finish" || after?.type !== "finish") throw new Error("no finish");
    expect(counts(after.usage)).toEqual(counts(before.usage));
    const reasonOf = (list: ChatEvent[]) => list.find((event) => event.type === "stop")?.reason;
    if (reasonOf(events) === "tool-calls") expect(reasonOf(back)).toBe("tool-calls");
  });
});

describe.each(fixtures(".error.json"))("the error $name", ({ dialect, text }) => {
  it("is decoded with its message and retry delay", () => {
    const error = dialect.decodeError(429, text, { "retry-after": "7" });
    expect(error).toMatchObject({ kind: "rate-limited", retryAfter: 7, status: 429 });
    expect(error.message).not.toMatch(/^The provider returned status/);
  });
});

describe.each(fixtures(".request.json"))("the request $name", ({ dialect, text }) => {
  const request = dialect.decodeRequest(JSON.parse(text), { model: "m", stream: true });

  it.each(ids)("is encoded for an upstream of %s", (id) => {
    const { body } = dialects[id].encodeRequest(request);
    const again = dialects[id].decodeRequest(JSON.parse(JSON.stringify(body)), { model: "m", stream: true });
    const texts = (each: ChatRequest) =>
      each.messages.map((message) => outputOfParts(message.parts).text).join("");
    for (const word of ["Be brief.", "What is this?", "Looking.", "So?"])
      expect(texts(again)).toContain(word);
    const calls = (each: ChatRequest) =>
      each.messages.flatMap((message) => outputOfParts(message.parts).calls);
    expect(calls(again)).toEqual(calls(request));
    const results = (each: ChatRequest) =>
      each.messages.flatMap((message) => message.parts).filter((part) => part.type === "tool-result");
    expect(results(again).map((part) => outputOfParts(part.parts).text)).toEqual(
      results(request).map((part) => outputOfParts(part.parts).text),
    );
    expect(again.tools?.map((tool) => tool.name)).toEqual(request.tools?.map((tool) => tool.name));
    expect(again.maxOutputTokens).toBe(request.maxOutputTokens);
  });
});

describe.each(ids)("%s with invalid data", (id) => {
  const dialect = dialects[id];
  const rubbish = fc.oneof(
    fc.string(),
    fc.json(),
    fc.constantFrom(
      "[DONE]",
      "{",
      "null",
      "[]",
      '{"type":"error"}',
      '{"choices":[{}]}',
      '{"choices":[{"delta":null}]}',
    ),
  );
  const known = Object.entries(files)
    .filter(([path]) => path.startsWith(`./${id}/`) && path.endsWith(".sse"))
    .flatMap(([, text]) => framesOf(text).map((each) => each.frame));
  const frame: fc.Arbitrary<Frame> = fc.oneof(
    fc.record({ event: fc.constantFrom(undefined, "x", "error"), data: rubbish }),
    fc.constantFrom(...known),
    fc
      .tuple(fc.constantFrom(...known), fc.nat())
      .map(([each, at]) => ({ event: each.event, data: each.data.slice(0, at % (each.data.length + 1)) })),
  );

  it("decodes any frames in any order to one start, one end and no exception", () => {
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 12 }), (frames) => {
        expectOrder(eventsOf(dialect, frames));
        const skimmer = dialect.skim();
        for (const each of frames) {
          skimmer.frame(each);
          dialect.isLast(each);
          dialect.dropFrame?.(each, requested(true));
        }
      }),
      { numRuns: runs(100) },
    );
  });

  it("encodes the result of such a stream for every client", () => {
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 12 }), fc.constantFrom(...ids), (frames, client) => {
        const events = eventsOf(dialect, frames);
        expectOrder(decodeText(dialects[client], encodeAll(dialects[client], events).text));
      }),
      { numRuns: runs(60) },
    );
  });

  it("rejects an invalid request body with a message and a field", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.jsonValue(), fc.record({ messages: fc.jsonValue(), contents: fc.jsonValue() })),
        (body) => {
          try {
            dialect.decodeRequest(body, { model: "m" });
          } catch (error) {
            expect(error).toBeInstanceOf(GatewayError);
            expect((error as GatewayError).status).toBe(400);
          }
        },
      ),
    );
  });

  it("reports an unreadable response as an upstream error", () => {
    for (const body of [null, "", [], 7, "<html>"]) {
      expect(() => dialect.decodeResponse(body)).toThrow(GatewayError);
    }
  });

  it("decodes any error body", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(400, 401, 402, 403, 404, 408, 429, 500, 503, 529),
        rubbish,
        (status, body) => {
          const error = dialect.decodeError(status, body, {});
          expect(error.message).not.toBe("");
          expect(error.status).toBe(status);
        },
      ),
    );
  });
});

describe.each(ids)("%s errors", (id) => {
  it("include the request id and hide internal details", () => {
    const { status, body } = dialects[id].encodeError(internalError(new Error("stack trace")), "req-1");
    expect(status).toBe(500);
    expect(JSON.stringify(body)).toContain("req-1");
    expect(JSON.stringify(body)).not.toContain("stack trace");
  });

  it("end a stream with an error that the same dialect decodes", () => {
    const text = dialects[id].encodeStreamError(
      new GatewayError("upstream_failed", { reason: "upstream_broke_off" }),
      "req-1",
    );
    expect(decodeText(dialects[id], text).at(-1)?.type).toBe("error");
  });

  it("keep the client's error a client error", () => {
    const { status, body } = dialects[id].encodeError(
      invalidRequest({ reason: "field_required", field: "messages" }),
      "req-1",
    );
    expect(dialects[id].decodeError(status, JSON.stringify(body), {}).kind).toBe("bad-request");
  });
});
