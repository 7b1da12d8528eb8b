import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Wire } from "#dialects/dialect.ts";
import { mendChat } from "./mend.ts";

const chunk = (delta: Wire, more: Wire = {}) =>
  JSON.stringify({
    id: "c",
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: null, ...more }],
  });

function stream(...frames: string[]): Wire[] {
  const mender = mendChat();
  return [...frames, "[DONE]"]
    .flatMap((data) => mender.frame(data) ?? [data])
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
    const whole = mendChat().whole({ choices: [{ index: 0, message: { content }, finish_reason: "stop" }] });
    expect(first(whole)["message"]).toEqual({ role: "assistant", content: "Yes.", reasoning_content: "Hm." });
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
    const whole = mendChat().whole({ id: "c", choices: [{ message, finish_reason: "stop" }] });
    expect(first(whole)).toEqual({
      index: 0,
      message: {
        ...message,
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
      first(mendChat().whole({ choices: [{ index: 0, message: {}, finish_reason: raw }] }))["finish_reason"],
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
      const whole = mendChat().whole({ choices: [], usage });
      expect(whole["usage"]).toEqual({ ...usage, prompt_tokens_details: { cached_tokens: 5 } });
    },
  );

  it("a response without a deviation stays the same", () => {
    const text = fc.string({ unit: "grapheme" });
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), text, (texts, id) => {
        const frames = [
          chunk({ role: "assistant", content: "" }),
          ...texts.map((content) => chunk({ content })),
          chunk({}, { finish_reason: "stop" }),
          JSON.stringify({ id, choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } }),
          "[DONE]",
        ];
        const mender = mendChat();
        expect(frames.map((data) => mender.frame(data))).toEqual(frames.map(() => undefined));
        const message = { role: "assistant", content: texts.join("") };
        const whole = { id, choices: [{ index: 0, message, finish_reason: "stop" }] };
        expect(mendChat().whole(whole)).toBe(whole);
      }),
    );
  });
});
