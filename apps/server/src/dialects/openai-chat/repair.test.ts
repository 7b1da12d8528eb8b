import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Wire } from "#dialects/dialect.ts";
import { repairChat } from "./repair.ts";

const chunk = (delta: Wire, more: Wire = {}) =>
  JSON.stringify({
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    choices: [{ index: 0, delta, finish_reason: null, ...more }],
  });

function stream(...frames: string[]): Wire[] {
  const repair = repairChat();
  return [...frames, "[DONE]"]
    .flatMap((data) => repair.frame(data) ?? [data])
    .filter((data) => data !== "[DONE]")
    .map((data) => JSON.parse(data) as Wire);
}

const first = (wire: Wire | undefined) => (wire?.["choices"] as Wire[] | undefined)?.[0] ?? {};
const deltaOf = (wire: Wire | undefined) => first(wire)["delta"] as Wire;

describe("a response that deviates from the format of chat completions", () => {
  it("thinking in a list of parts becomes text and reasoning_content, complete and streamed", () => {
    const content = [
      { type: "thinking", thinking: [{ type: "text", text: "Hm." }] },
      { type: "text", text: "Yes." },
    ];
    const whole = repairChat().whole({
      choices: [{ index: 0, message: { content }, finish_reason: "stop" }],
    });
    const spoken = { role: "assistant", content: "Yes.", reasoning_content: "Hm." };
    expect(first(whole)["message"]).toEqual({ ...spoken, refusal: null });
    const [opened] = stream(chunk({ content }), chunk({}, { finish_reason: "stop" }));
    expect(deltaOf(opened)).toEqual({ role: "assistant", content: "Yes.", reasoning_content: "Hm." });
  });

  it("calls get index, type, id and arguments as text", () => {
    const bare = { function: { name: "look", arguments: { at: "sea" } } };
    const message = {
      role: "assistant",
      content: null,
      tool_calls: [bare, { id: "x", function: { name: "go" } }],
    };
    const whole = repairChat().whole({ id: "c", choices: [{ message, finish_reason: "stop" }] });
    expect(first(whole)).toEqual({
      index: 0,
      logprobs: null,
      message: {
        ...message,
        refusal: null,
        tool_calls: [
          { id: "call_c_0", type: "function", function: { name: "look", arguments: '{"at":"sea"}' } },
          { id: "x", type: "function", function: { name: "go", arguments: "" } },
        ],
      },
      finish_reason: "tool_calls",
    });
    const frames = stream(
      chunk({ role: "assistant", tool_calls: [bare] }),
      chunk({ tool_calls: [{ id: "b", function: { name: "go", arguments: '{"to":' } }] }),
      chunk({ tool_calls: [{ function: { arguments: '"sea"}' } }] }),
      chunk({}, { finish_reason: "stop" }),
    );
    const calls = frames.flatMap((each) => (deltaOf(each)["tool_calls"] as Wire[] | undefined) ?? []);
    expect(calls.map((call) => call["index"])).toEqual([0, 1, 1]);
    expect(calls.map((call) => call["id"])).toEqual(["call_c_0", "b", undefined]);
    expect(first(frames.at(-1))["finish_reason"]).toBe("tool_calls");
  });

  it("several calls that are all numbered 0 are distinguished by their ids", () => {
    const call = (id: string) =>
      chunk(
        { tool_calls: [{ index: 0, id, type: "function", function: { name: "f", arguments: "{}" } }] },
        { finish_reason: "tool_calls" },
      );
    const frames = stream(call("a"), call("b"));
    expect(frames.map((each) => (deltaOf(each)["tool_calls"] as Wire[])[0]?.["index"])).toEqual([0, 1]);
  });

  it.each([
    ["eos", "stop"],
    ["end_turn", "stop"],
    ["max_tokens", "length"],
    ["sensitive", "content_filter"],
  ])("the reason %s becomes %s", (raw, reason) => {
    expect(
      first(repairChat().whole({ choices: [{ index: 0, message: {}, finish_reason: raw }] }))[
        "finish_reason"
      ],
    ).toBe(reason);
    expect(
      first(stream(chunk({ role: "assistant", content: "a" }, { finish_reason: raw }))[0])["finish_reason"],
    ).toBe(reason);
  });

  it("a stream without a role or a finish reason gets both", () => {
    const frames = stream(chunk({ content: "a" }), chunk({ content: "b" }));
    expect(deltaOf(frames[0])["role"]).toBe("assistant");
    expect(first(frames.at(-1))).toMatchObject({ delta: {}, finish_reason: "stop" });
  });

  it.each([{ cached_tokens: 5 }, { prompt_cache_hit_tokens: 5 }])(
    "cached tokens %j are where clients read them",
    (own) => {
      const usage = { prompt_tokens: 9, completion_tokens: 1, ...own };
      const whole = repairChat().whole({ choices: [], usage });
      expect(whole["usage"]).toEqual({ ...usage, prompt_tokens_details: { cached_tokens: 5 } });
    },
  );

  it.each([null, "", undefined])(
    "a complete response with the finish reason %j gets one",
    (finish_reason) => {
      const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
      for (const [message, reason] of [
        [{ content: "a" }, "stop"],
        [{ content: null, tool_calls: [call] }, "tool_calls"],
      ] as const) {
        const whole = repairChat().whole({ choices: [{ index: 0, message, finish_reason }] });
        expect(first(whole)["finish_reason"]).toBe(reason);
      }
    },
  );

  it("texts in a list, whole messages in chunks and no choices are read", () => {
    const content = ["Hi ", { type: "text", text: "there" }];
    const whole = repairChat().whole({
      choices: [{ index: 0, message: { content }, finish_reason: "stop" }],
    });
    expect(first(whole)["message"]).toMatchObject({ content: "Hi there" });
    const message = { role: "assistant", content };
    const frames = stream(
      JSON.stringify({ id: "c", choices: null }),
      JSON.stringify({ id: "c", choices: [{ index: 0, message }] }),
      JSON.stringify({ id: "c", choices: [{ index: 0, message, finish_reason: "stop" }] }),
    );
    expect(frames[0]?.["choices"]).toEqual([]);
    expect(first(frames[1])).toEqual({
      index: 0,
      delta: { role: "assistant", content: "Hi there" },
      finish_reason: null,
    });
    expect(first(frames[2])).toEqual({ index: 0, delta: {}, finish_reason: "stop" });
  });

  it("a response without a deviation stays the same", () => {
    const text = fc.string({ unit: "grapheme" });
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), (texts) => {
        const head = { id: "c", object: "chat.completion.chunk", created: 1 };
        const frames = [
          chunk({ role: "assistant", content: "" }),
          ...texts.map((content) => chunk({ content })),
          chunk({}, { finish_reason: "stop" }),
          JSON.stringify({ ...head, choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } }),
          "[DONE]",
        ];
        const repair = repairChat();
        expect(frames.map((data) => repair.frame(data))).toEqual(frames.map(() => undefined));
        const message = { role: "assistant", content: texts.join(""), refusal: null };
        const choice = { index: 0, message, logprobs: null, finish_reason: "stop" };
        const whole = { ...head, object: "chat.completion", choices: [choice] };
        expect(repairChat().whole(whole)).toBe(whole);
      }),
    );
  });

  it("usage in several chunks is sent once, with the last counts", () => {
    const usage = (completion_tokens: number) => ({ prompt_tokens: 9, completion_tokens });
    const withUsage = (data: string, count: number) =>
      JSON.stringify({ ...(JSON.parse(data) as Wire), usage: usage(count) });
    const text = [1, 2].map((count) => withUsage(chunk({ role: "assistant", content: "a" }), count));
    const usages = (frames: Wire[]) => frames.map((frame) => frame["usage"]);
    const end = chunk({}, { finish_reason: "stop" });
    expect(usages(stream(...text, withUsage(end, 3)))).toEqual([null, null, usage(3)]);
    // After the last chunk, and never with zeros.
    expect(usages(stream(...text, end))).toEqual([null, null, undefined, usage(2)]);
    const zeros = JSON.stringify({
      ...(JSON.parse(end) as Wire),
      usage: { prompt_tokens: 0, completion_tokens: 0 },
    });
    expect(usages(stream(...text, withUsage(end, 3), zeros))).toEqual([null, null, usage(3), null]);
    // A stream that breaks off is billed by the counts so far.
    const repair = repairChat();
    for (const data of text) repair.frame(data);
    expect(repair.usage()).toMatchObject({ input: 9, output: 2 });
    repair.frame(withUsage(end, 3));
    expect(repair.usage()).toBeUndefined();
  });

  it("a repeated finish reason is sent once, another one is kept", () => {
    const reasons = (...of: string[]) =>
      stream(chunk({ content: "a" }), ...of.map((finish_reason) => chunk({}, { finish_reason }))).map(
        (frame) => first(frame)["finish_reason"],
      );
    expect(reasons("stop", "stop")).toEqual([null, "stop", null]);
    expect(reasons("stop", "length")).toEqual([null, "stop", "length"]);
  });

  it("required fields are added, and empty or null ones that the format does not allow are removed", () => {
    const frames = stream(
      JSON.stringify({ choices: [{ index: 0, delta: { role: null, content: "a", tool_calls: null } }] }),
      JSON.stringify({ id: "", object: "", choices: [{ index: 0, delta: { role: "", content: "b" } }] }),
      JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
    );
    const id = frames[0]?.["id"];
    expect(id).toMatch(/^chatcmpl-\w{32}$/);
    for (const frame of frames)
      expect(frame).toMatchObject({ id, object: "chat.completion.chunk", created: frames[0]?.["created"] });
    expect(frames.map(deltaOf)).toEqual([{ role: "assistant", content: "a" }, { content: "b" }, {}]);
    expect(frames.map((frame) => first(frame)["finish_reason"])).toEqual([null, null, "stop"]);
    const message = { content: "a", tool_calls: null };
    const whole = repairChat().whole({ choices: [{ message, finish_reason: "stop" }] });
    expect(whole).toMatchObject({ object: "chat.completion", created: expect.any(Number) as number });
    expect(first(whole)).toEqual({
      index: 0,
      message: { role: "assistant", content: "a", refusal: null },
      logprobs: null,
      finish_reason: "stop",
    });
  });

  it("reasoning that is counted beside the output is counted in it", () => {
    const usage = {
      prompt_tokens: 291,
      completion_tokens: 26,
      total_tokens: 513,
      completion_tokens_details: { reasoning_tokens: 196 },
    };
    const choices = [{ index: 0, message: { content: "a" }, finish_reason: "stop" }];
    expect(repairChat().whole({ choices, usage })["usage"]).toEqual({ ...usage, completion_tokens: 222 });
    const [frame] = stream(
      JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage }),
    );
    expect(frame?.["usage"]).toEqual({ ...usage, completion_tokens: 222 });
  });
});
