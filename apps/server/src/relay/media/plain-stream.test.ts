import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPlainReader } from "./plain-stream.ts";

const events = (...data: object[]) =>
  data.map((one) => `event: ${(one as { type: string }).type}\ndata: ${JSON.stringify(one)}\n\n`).join("");

const picture = "A".repeat(3_000);
const usage = {
  total_tokens: 100,
  input_tokens: 50,
  output_tokens: 50,
  input_tokens_details: { text_tokens: 10, image_tokens: 40 },
};
const drawn = events(
  { type: "image_generation.partial_image", b64_json: picture, partial_image_index: 0 },
  { type: "image_generation.completed", usage, b64_json: picture },
);
const reported = events(
  { type: "transcript.text.delta", delta: 'He said "usage": {"input_tokens": 9} and 你好 ' },
  { type: "transcript.text.done", text: "He said", usage: { type: "duration", seconds: 3.2 } },
);

function read(text: string, cuts: number[] = [], type = "text/event-stream") {
  const bytes = Buffer.from(text);
  const reader = createPlainReader(type);
  const ends = [...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b), bytes.length];
  let from = 0;
  let kept = 0;
  for (const to of ends) {
    if (to > from) kept = reader.push(bytes.subarray(from, to));
    from = Math.max(from, to);
  }
  return { reader, kept };
}

describe("reader of streams other than chat", () => {
  it("finds the usage at any split of the bytes, and only real usage", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(drawn.length), { maxLength: 8 }), (cuts) => {
        expect(read(drawn, cuts).reader.usage).toMatchObject({ input: 50, output: 50, imageInput: 40 });
        expect(read(reported, cuts).reader.usage).toMatchObject({ input: 32, audioInput: 32, output: 0 });
      }),
    );
  });

  it("keeps back the end of an event that completes the response, and of no other", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(drawn.length), { maxLength: 8 }), (cuts) => {
        expect(read(drawn, cuts).kept).toBeGreaterThan(0);
      }),
    );
    expect(read(drawn.slice(0, drawn.indexOf("event: image_generation.completed"))).kept).toBe(0);
    expect(read('data: {"choices":[{"text":"a"}]}\n\n').kept).toBe(0);
    expect(read("data: [DONE]\n\n").kept).toBeGreaterThan(0);
  });

  it("keeps back everything after the end of the response, however long the comments", () => {
    const after = ": a comment that is longer than what is kept back\n\n".repeat(20);
    for (const text of [drawn, reported, "data: [DONE]\n\n", "data: [DONE]\n"])
      fc.assert(
        fc.property(fc.array(fc.nat(text.length + after.length), { maxLength: 8 }), (cuts) => {
          expect(read(text + after, cuts).kept).toBeGreaterThan(after.length);
        }),
      );
    expect(read(`${drawn}${drawn.slice(0, drawn.indexOf("event: image_generation.completed"))}`).kept).toBe(
      0,
    );
  });

  it("counts text, not images or the wire format", () => {
    expect(read(drawn).reader.tally).toEqual({ narrow: 0, wide: 0 });
    expect(read(events({ type: "transcript.text.delta", delta: "four" })).reader.tally.narrow).toBe(4);
    expect(read('data: {"choices":[{"text":"four"}]}\n\n').reader.tally.narrow).toBe(4);
    expect(read("1\n00:00 four", [], "text/vtt").reader.tally.narrow).toBe(12);
    expect(read("ID3....", [], "audio/mpeg").reader.tally.narrow).toBe(0);
  });

  it("detects a provider error within the stream", () => {
    const error = { type: "error", error: { message: "no", code: "server_error" } };
    expect(read(events({ type: "image_generation.partial_image", b64_json: "A" }, error)).reader.failed).toBe(
      true,
    );
    expect(read(drawn).reader.failed).toBe(false);
  });
});
