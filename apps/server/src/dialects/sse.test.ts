import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Frame } from "./dialect.ts";
import { createFrameSplitter, formatFrame, type RawFrame } from "./sse.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function split(text: string, cuts: number[] = []): RawFrame[] {
  const all = bytes(text);
  const splitter = createFrameSplitter();
  const frames: RawFrame[] = [];
  let from = 0;
  for (const cut of [...cuts.map((at) => at % (all.length + 1)).toSorted((a, b) => a - b), all.length]) {
    frames.push(...splitter.push(all.subarray(from, cut)));
    from = cut;
  }
  frames.push(...splitter.flush());
  return frames;
}

const frames = (text: string): Frame[] => split(text).map((each) => each.frame);

describe("the frame splitter", () => {
  it("reads data with and without a space, joins several data lines and keeps the event name", () => {
    expect(frames("data:a\n\nevent: x\ndata: b\ndata:  c\n\n")).toEqual([
      { event: undefined, data: "a" },
      { event: "x", data: "b\n c" },
    ]);
  });

  it("takes LF, CRLF and CR as line ends", () => {
    for (const end of ["\n", "\r\n", "\r"]) {
      expect(frames(["event: a", "data: 1", "", "data: 2", "", ""].join(end))).toEqual([
        { event: "a", data: "1" },
        { event: undefined, data: "2" },
      ]);
    }
  });

  it("ignores comments, ids, unknown fields and events without data", () => {
    expect(frames(": hello\n\nid: 7\nretry: 1\nevent: ping\n\n: x\ndata: 1\n\n")).toEqual([
      { event: undefined, data: "1" },
    ]);
  });

  it("gives comments to the raw text of the frame that follows", () => {
    expect(split(": wait\n\ndata: 1\n\ndata: 2\n\n").map((each) => each.raw)).toEqual([
      ": wait\n\ndata: 1\n\n",
      "data: 2\n\n",
    ]);
  });

  it("yields a frame whose blank line never came when the stream is flushed", () => {
    expect(frames("data: 1\n\ndata: 2")).toEqual([
      { event: undefined, data: "1" },
      { event: undefined, data: "2" },
    ]);
    expect(frames("data: 1\n")).toEqual([{ event: undefined, data: "1" }]);
    expect(frames("")).toEqual([]);
  });

  it("drops a byte order mark at the start", () => {
    expect(frames("\uFEFFdata: 1\n\n")).toEqual([{ event: undefined, data: "1" }]);
  });

  it("delivers a frame ended by CR at once, without waiting for a possible LF", () => {
    const splitter = createFrameSplitter();
    expect(splitter.push(bytes("data: 1\r\r"))).toHaveLength(1);
    expect(splitter.push(bytes("\ndata: 2\r\n\r\n")).map((each) => each.frame.data)).toEqual(["2"]);
  });

  it("gives the same frames and the same raw text wherever the bytes are cut", () => {
    const line = fc.constantFrom(
      'data: {"a":"héllo 世界 🚀"}',
      "data:x",
      "data",
      "event: e",
      ": comment 🌍",
      "id: 1",
      "",
      "",
    );
    const stream = fc.array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\r")), { maxLength: 20 });
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 30 }), (lines, cuts) => {
        const text = lines.map(([content, end]) => content + end).join("");
        const whole = split(text);
        const pieces = split(text, cuts);
        expect(pieces.map((each) => each.frame)).toEqual(whole.map((each) => each.frame));
        const joined = pieces.map((each) => each.raw).join("");
        expect(text.startsWith(joined)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("splits a stream that arrives byte by byte", () => {
    const text = "data: 一\r\n\r\ndata: 😀\n\n";
    const every = Array.from({ length: bytes(text).length }, (_, index) => index);
    expect(split(text, every).map((each) => each.frame.data)).toEqual(["一", "😀"]);
  });
});

describe("formatFrame", () => {
  it("writes what the splitter reads", () => {
    const frame = fc.record({
      event: fc.option(fc.constantFrom("a", "message_start"), { nil: undefined }),
      data: fc.string().map((text) => text.replaceAll("\r", "")),
    });
    fc.assert(
      fc.property(fc.array(frame), (list) => {
        expect(frames(list.map(formatFrame).join(""))).toEqual(list);
      }),
    );
  });
});
