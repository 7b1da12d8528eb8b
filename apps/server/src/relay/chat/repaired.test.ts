/** Deviations of providers of Chat, for clients of every dialect: in streams and in whole responses. */
import { describe, expect, it } from "vitest";
import { createRepairingDecoder } from "#dialects/answer-repair.ts";
import type { Wire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { ChatEvent, DialectId } from "#dialects/ir.ts";
import { repairChat } from "#dialects/openai-chat/repair.ts";
import { createCollector } from "#dialects/stream/collected-answer.ts";
import { bodyOf } from "#platform/http/response-body.ts";
import { readBody } from "./body.ts";

const request = {
  model: "m",
  stream: true,
  includeUsage: true,
  messages: [{ role: "user" as const, parts: [{ type: "text" as const, text: "Hi" }] }],
};
const clients = Object.keys(dialects) as DialectId[];

const chunk = (delta: Wire | undefined, finish: string | null = null, more: Wire = {}) => ({
  id: "1",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, ...(delta && { delta }), finish_reason: finish }],
  ...more,
});

/** Returns the events of a repaired stream, and the chunks that a Chat client receives. */
function streamed(frames: Array<Wire | string>): { events: ChatEvent[]; chunks: Wire[] } {
  const texts = frames.map((frame) => (typeof frame === "string" ? frame : JSON.stringify(frame)));
  const decoder = createRepairingDecoder(dialects["openai-chat"].decodeStream(), repairChat());
  const events = texts.flatMap((data) => decoder.frame({ event: undefined, data }));
  const repair = repairChat();
  const passed = [...texts.flatMap((data) => repair.frame(data) ?? [data]), ...repair.end()];
  return {
    events: [...events, ...decoder.end()],
    chunks: passed.filter((data) => data !== "[DONE]").map((data) => JSON.parse(data) as Wire),
  };
}

function encoded(client: DialectId, events: ChatEvent[]): string {
  const encode = dialects[client].encodeStream(request);
  return events.map((event) => encode(event).text).join("");
}

const call = (name: string, input: string) => ({ type: "function", function: { name, arguments: input } });

describe("calls without index and id", () => {
  const streams: Record<string, Wire[]> = {
    "in one chunk each": [
      chunk({ tool_calls: [call("f", '{"x":1}')] }),
      chunk({ tool_calls: [call("g", '{"y":2}')] }),
    ],
    "in one chunk": [chunk({ tool_calls: [call("f", '{"x":1}'), call("g", '{"y":2}')] })],
    "with arguments in pieces": [
      chunk({ tool_calls: [call("f", '{"x"')] }),
      chunk({ tool_calls: [{ function: { arguments: ":1}" } }] }),
      chunk({ tool_calls: [call("g", '{"y":2}')] }),
    ],
    "with the same index": [
      chunk({ tool_calls: [{ index: 0, id: "a", ...call("f", '{"x":1}') }] }),
      chunk({ tool_calls: [{ index: 0, id: "b", ...call("g", '{"y":2}') }] }),
    ],
  };

  it.each(Object.entries(streams))("stay two calls: %s", (_name, frames) => {
    const { events, chunks } = streamed([...frames, chunk({}, "tool_calls"), "[DONE]"]);
    const collector = createCollector();
    for (const event of events) collector.add(event);
    const answer = collector.answer as Exclude<typeof collector.answer, undefined | { error: unknown }>;
    expect(answer.choices[0]?.parts).toMatchObject([
      { name: "f", input: '{"x":1}' },
      { name: "g", input: '{"y":2}' },
    ]);
    const indexes = chunks.flatMap((each) =>
      (each["choices"] as Wire[]).flatMap((choice) =>
        (((choice["delta"] as Wire)["tool_calls"] ?? []) as Wire[]).map(({ index }) => index),
      ),
    );
    expect(new Set(indexes)).toEqual(new Set([0, 1]));
    for (const client of clients) {
      const text = encoded(client, events);
      expect(text).toMatch(/"name":"f"/);
      expect(text).toMatch(/"name":"g"/);
    }
  });
});

describe("a usage chunk", () => {
  const usage = { prompt_tokens: 40, completion_tokens: 35, total_tokens: 75 };
  it.each([
    ["without choices", { id: "1", model: "m", usage }],
    ["with null for choices", { id: "1", model: "m", choices: null, usage }],
    ["with no choice", { id: "1", model: "m", choices: [], usage }],
  ])("%s reaches every client once", (_name, last) => {
    for (const end of [["[DONE]"], []]) {
      const frames = [chunk({ role: "assistant", content: "Hi" }), chunk({}, "stop"), last, ...end];
      const { events, chunks } = streamed(frames);
      expect(events.at(-1)).toMatchObject({ type: "finish", usage: { input: 40, output: 35 } });
      for (const each of chunks) expect(each["choices"]).toBeInstanceOf(Array);
      expect(chunks.filter((each) => each["usage"])).toHaveLength(1);
    }
  });

  it("reaches every client when counts stand in earlier chunks only and no end marker follows", () => {
    const { events, chunks } = streamed([
      chunk({ role: "assistant", content: "Hi" }, null, { usage }),
      chunk({}, "stop"),
    ]);
    expect(events.at(-1)).toMatchObject({ type: "finish", usage: { input: 40, output: 35 } });
    expect(chunks.filter((each) => each["usage"])).toHaveLength(1);
  });
});

describe("a stream", () => {
  it("whose first choice has no delta, and no role, begins with a role", () => {
    for (const first of [chunk(undefined), chunk({ content: "H" })]) {
      const { events, chunks } = streamed([first, chunk({ content: "i" }, "stop"), "[DONE]"]);
      expect(chunks[0]).toMatchObject({ choices: [{ delta: { role: "assistant" } }] });
      expect(encoded("anthropic", events)).toContain("end_turn");
    }
  });

  it("without a finish reason ends with one", () => {
    const { events, chunks } = streamed([chunk({ content: "Hi" }), "[DONE]"]);
    expect(chunks.at(-1)).toMatchObject({ choices: [{ finish_reason: "stop" }] });
    expect(events).toContainEqual(expect.objectContaining({ type: "stop", reason: "stop" }));
  });

  it.each(["network_error", "insufficient_system_resource", "abort"])(
    "that the provider broke off (%s) is not called complete",
    (reason) => {
      const { events, chunks } = streamed([chunk({ content: "Hi" }), chunk({}, reason), "[DONE]"]);
      expect(events).toContainEqual(expect.objectContaining({ type: "stop", reason: "error" }));
      expect(JSON.stringify(chunks)).not.toContain('"finish_reason":"stop"');
    },
  );
});

function read(client: DialectId, body: Wire) {
  const text = JSON.stringify(body);
  const response = {
    status: 200,
    headers: { "content-type": "application/json" },
    ...bodyOf(async function* chunks() {
      yield await Promise.resolve(Buffer.from(text));
    }),
    cancel() {},
  };
  return readBody(
    { client: dialects[client], request: { ...request, stream: false } },
    { response, upstream: dialects["openai-chat"], repair: repairChat() },
  );
}

describe.each(clients)("a whole response for a client of %s", (client) => {
  it("whose filtered choice has no message is a filtered one", async () => {
    const body = { id: "1", model: "m", choices: [{ index: 0, finish_reason: "content_filter" }] };
    const { body: text } = (await read(client, body)) as { body: string };
    expect(text).toMatch(/content_filter|refusal|SAFETY/);
    if (client === "openai-chat") expect(text).toContain('"role":"assistant"');
  });

  it("that reached its limit without text and usage is a short one, not an error", async () => {
    const message = { role: "assistant", content: "" };
    const body = { id: "1", model: "m", choices: [{ index: 0, message, finish_reason: "length" }] };
    const result = await read(client, body);
    expect(result).toMatchObject({ usage: undefined, tally: { narrow: 0, wide: 0 } });
    expect((result as { body: string }).body).toMatch(/length|max_tokens|max_output_tokens|MAX_TOKENS/);
  });
});
