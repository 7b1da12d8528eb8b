import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Dialect, Frame } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { DialectId } from "#dialects/ir.ts";
import { anyCharacter, runs } from "#test/property-runs.ts";

/** Returns the state of a skimmer after these frames. */
function skimmed(dialect: Dialect, frames: readonly Frame[], mayRepeat: boolean) {
  const skimmer = dialect.skim();
  let repeated = 0;
  for (const frame of frames) {
    if (mayRepeat && skimmer.repeats?.(frame) === true) repeated += 1;
    else skimmer.frame(frame);
  }
  const { usage, tally, complete, error } = skimmer;
  return { known: { usage, tally, complete, error }, repeated };
}

const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 12 }),
  fc.constantFrom(
    "",
    " ",
    '"',
    "\\",
    '\\"',
    '","content":"x',
    '"}]}',
    "\u2028",
    "词",
    "😀",
    '"finish_reason":"stop"',
  ),
);

const chatDelta = fc.record(
  {
    role: fc.constant("assistant"),
    content: fc.oneof(text, fc.constant(null)),
    reasoning_content: fc.oneof(text, fc.constant(null)),
    reasoning: text,
    refusal: fc.constantFrom(null, "no"),
    tool_calls: fc.constantFrom([{ index: 0, function: { arguments: "{" } }]),
  },
  { requiredKeys: [] },
);

const chatFrame = fc
  .record({
    delta: fc.oneof(
      { weight: 3, arbitrary: text.map((content) => ({ content })) },
      { weight: 1, arbitrary: chatDelta },
    ),
    finish: fc.constantFrom(null, null, null, null, "stop"),
    more: fc.constantFrom(
      {},
      {},
      {},
      { usage: null },
      { usage: { prompt_tokens: 3, completion_tokens: 4 } },
      { service_tier: "flex" },
      { error: { message: "no" } },
    ),
  })
  .map(({ delta, finish, more }) => ({
    event: undefined,
    data: JSON.stringify({ id: "c", choices: [{ index: 0, delta, finish_reason: finish }], ...more }),
  }));

const block = fc.constantFrom(
  (value: string) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: value } }),
  (value: string) => ({
    type: "content_block_delta",
    index: 0,
    delta: { type: "thinking_delta", thinking: value },
  }),
  (value: string) => ({
    type: "content_block_delta",
    index: 1,
    delta: { type: "input_json_delta", partial_json: value },
  }),
  () => ({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } }),
  () => ({ type: "ping" }),
);
const messagesFrame = fc.tuple(block, text).map(([of, value]) => {
  const data = of(value);
  return { event: data.type, data: JSON.stringify(data) };
});

describe.each([
  ["openai-chat", chatFrame],
  ["anthropic", messagesFrame],
] as const satisfies [DialectId, fc.Arbitrary<Frame>][])("repeated frames of %s", (id, frame) => {
  test("repeated frames: the result is the same as when every frame is read in full", () => {
    fc.assert(
      fc.property(fc.array<Frame>(frame, { maxLength: 30 }), (frames) => {
        expect(skimmed(dialects[id], frames, true).known).toEqual(skimmed(dialects[id], frames, false).known);
      }),
      { numRuns: runs(300) },
    );
  });
});

test("repeated frames: chunks that differ in their text only are not read in full", () => {
  const frames = ["one", " two", ' "three"', " vier ü", " 五"].map((content) => ({
    event: undefined,
    data: JSON.stringify({ id: "c", choices: [{ index: 0, delta: { content }, finish_reason: null }] }),
  }));
  expect(skimmed(dialects["openai-chat"], frames, true).repeated).toBe(frames.length - 1);
});
