import { describe, expect, it } from "vitest";
import type { Wire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import { repairChat } from "#dialects/openai-chat/repair.ts";
import { createCollector } from "#dialects/stream/collected-answer.ts";
import { createFrameSplitter } from "#dialects/stream/sse.ts";
import { dialectsFor } from "./provider.ts";
import { proofOf, recordedProviders, recording } from "./recordings.fixture.ts";
import { openProviders } from "./registry.ts";

/**
 * Recorded chat responses of all providers that deviate.
 * Clients of the same format must receive the documented form.
 */
const chat = dialects["openai-chat"];
const reasons = ["stop", "length", "tool_calls", "content_filter", "function_call"];
const providers = [...openProviders().values()];

const samples = recordedProviders().flatMap((id) => {
  const provider = providers.find((each) => each.id === id);
  if (provider === undefined) return [];
  const { answers, streams } = proofOf(id);
  return [...Object.entries(answers), ...Object.entries(streams)].flatMap(([file, sample]) => {
    const call = {
      model: sample.model ?? provider.testModel,
      stream: false,
      other: "",
      plugin: sample.plugin ?? {},
    };
    const isOwn = provider.wire?.(call) !== undefined;
    const dialect = sample.dialect ?? dialectsFor(provider, call)[0];
    const isChat = !isOwn && dialect === "openai-chat" && !file.endsWith(".base64");
    return isChat && !("fails" in sample && sample.fails !== undefined) ? [{ id, file }] : [];
  });
});

function expectCalls(message: Wire, isStream: boolean): void {
  for (const call of (message["tool_calls"] ?? []) as Wire[]) {
    if (isStream) expect(call["index"]).toBeTypeOf("number");
    else
      expect(call).toMatchObject({
        id: expect.stringMatching(/./) as string,
        type: expect.any(String) as string,
      });
    const called = call["function"] as Wire | undefined;
    if (called !== undefined) expect(called["arguments"] ?? "").toBeTypeOf("string");
  }
}

const isText = (value: unknown) => value === null || value === undefined || typeof value === "string";

describe("recorded responses", () => {
  it.each(samples.filter(({ file }) => file.endsWith(".json")))(
    "$id/$file: has the documented form",
    ({ id, file }) => {
      const came = JSON.parse(recording(id, file)) as Wire;
      const repaired = repairChat().whole(came);
      for (const choice of repaired["choices"] as Wire[]) {
        const message = choice["message"] as Wire;
        expect(message["role"]).toBe("assistant");
        expect(isText(message["content"])).toBe(true);
        expect([null, undefined, ...reasons]).toContain(choice["finish_reason"]);
        expect(choice["index"]).toBeTypeOf("number");
        expectCalls(message, false);
      }
      const { choices, usage } = chat.decodeResponse(repaired);
      const before = chat.decodeResponse(came);
      expect(choices.map(finishOf)).toEqual(before.choices.map(finishOf));
      expect({ ...usage, raw: 0 }).toEqual({ ...before.usage, raw: 0 });
    },
  );

  it.each(samples.filter(({ file }) => file.endsWith(".sse")))(
    "$id/$file: has the documented form",
    ({ id, file }) => {
      const splitter = createFrameSplitter();
      const frames = [...splitter.push(Buffer.from(recording(id, file))), ...splitter.flush()];
      const repair = repairChat();
      const sent = frames.flatMap(({ frame }) => repair.frame(frame.data) ?? [frame.data]);
      const chunks = sent.filter((data) => data.trim() !== "[DONE]").map((data) => JSON.parse(data) as Wire);
      const choices = chunks.flatMap((chunk) => (chunk["choices"] ?? []) as Wire[]);
      expect(choices[0]?.["delta"]).toMatchObject({ role: "assistant" });
      expect(choices.some((choice) => reasons.includes(String(choice["finish_reason"])))).toBe(true);
      for (const choice of choices) {
        const delta = (choice["delta"] ?? {}) as Wire;
        expect(isText(delta["content"])).toBe(true);
        expect([null, undefined, ...reasons]).toContain(choice["finish_reason"]);
        expectCalls(delta, true);
      }
      expect(collected(sent)).toEqual(collected(frames.map(({ frame }) => frame.data)));
    },
  );
});

/** A response without a known finish reason counts as stopped. */
const finishOf = ({ finish }: { finish: string }) => (finish === "other" ? "stop" : finish);

/** Returns the response that a client of another dialect would receive. */
function collected(data: string[]): unknown {
  const decoder = chat.decodeStream();
  const collector = createCollector();
  const events = [
    ...data.flatMap((each) => decoder.frame({ event: undefined, data: each })),
    ...decoder.end(),
  ];
  for (const event of events) collector.add(event);
  const answer = collector.answer;
  if (answer === undefined || "error" in answer) return answer;
  const text = (type: "text" | "reasoning") =>
    answer.choices.map(({ parts }) => parts.map((part) => (part.type === type ? part.text : "")).join(""));
  const calls = answer.choices.map(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool-call" ? [[part.name, part.input]] : [])),
  );
  const { raw: _raw, cacheRead = 0, ...counts } = answer.usage ?? { raw: undefined };
  const usage = { ...counts, cacheRead };
  return {
    text: text("text"),
    reasoning: text("reasoning"),
    calls,
    finish: answer.choices.map(finishOf),
    usage,
  };
}
