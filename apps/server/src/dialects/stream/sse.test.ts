import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Frame } from "#dialects/dialect.ts";
import { runs } from "#test/property-runs.ts";
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

  it("assigns comments to the raw text of the frame that follows", () => {
    expect(split(": wait\n\ndata: 1\n\ndata: 2\n\n").map((each) => each.raw)).toEqual([
      ": wait\n\ndata: 1\n\n",
      "data: 2\n\n",
    ]);
  });

  it("returns a frame without its blank line when the stream is flushed", () => {
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

  it("keeps the LF of a CRLF with its frame when it comes in the next chunk", () => {
    const splitter = createFrameSplitter();
    expect(splitter.push(bytes("data: 1\r\n\r"))).toHaveLength(0);
    expect(splitter.push(bytes("\n")).map((each) => each.raw)).toEqual(["data: 1\r\n\r\n"]);
    expect(splitter.push(bytes("data: 2\r\r"))).toHaveLength(0);
    expect(splitter.flush().map((each) => each.raw)).toEqual(["data: 2\r\r"]);
  });

  it.each(["\n", "\r\n"])("returns the whole stream at any chunk boundaries, with line ends %j", (end) => {
    const text = `event: a${end}data: {"t":"é"}${end}${end}: wait${end}${end}data: 2${end}${end}`;
    const size = bytes(text).length;
    for (let cut = 0; cut <= size; cut += 1)
      for (const other of [cut, size - 1]) {
        const pieces = split(text, [cut, other]);
        expect(pieces.map((each) => each.frame.data)).toEqual(['{"t":"é"}', "2"]);
        expect(pieces.map((each) => each.raw).join("")).toBe(text);
      }
  });

  it("reads a JSON value without a field name between events", () => {
    const error = '{\r\n  "error": {\r\n    "code": 503\r\n  }\r\n}\r\n';
    for (const end of ["", "\r\n"]) {
      const found = frames(`data: 1\r\n\r\n${error}${end}`);
      expect(found.map(({ data }) => JSON.parse(data) as unknown)).toEqual([1, { error: { code: 503 } }]);
    }
  });

  it("returns the same frames and raw text at any chunk boundaries", () => {
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
        expect(joined).toBe(whole.map((each) => each.raw).join(""));
      }),
      { numRuns: runs(150) },
    );
  });

  it("splits a stream that arrives byte by byte", () => {
    const text = "data: 一\r\n\r\ndata: 😀\n\n";
    const every = Array.from({ length: bytes(text).length }, (_, index) => index);
    expect(split(text, every).map((each) => each.frame.data)).toEqual(["一", "😀"]);
  });
});

describe("formatFrame", () => {
  it("writes frames that the splitter reads", () => {
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

it("frames: bytes are decoded like the whole text with TextDecoder, at any chunk boundaries", () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 6 }),
    fc
      .constantFrom(..."data: é\n\n|\uFEFF|词\n|😀|data: x\n\n".split("|"))
      .map((text) => new TextEncoder().encode(text)),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const splitter = createFrameSplitter();
      const frames = [...pieces.flatMap((bytes) => splitter.push(Buffer.from(bytes))), ...splitter.flush()];
      const whole = createFrameSplitter();
      const text = new TextDecoder().decode(Buffer.concat(pieces));
      // Invalid bytes are already replacement characters here, so the text needs no further decoding.
      const marked = text.startsWith("\uFEFF") ? `\uFEFF${text}` : text;
      expect(frames).toEqual([...whole.push(Buffer.from(marked)), ...whole.flush()]);
    }),
    { numRuns: runs(500) },
  );
});
