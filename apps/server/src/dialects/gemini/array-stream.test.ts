import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dialects } from "#dialects/index.ts";
import type { ChatEvent } from "#dialects/ir.ts";
import { createFrameSplitter, type RawFrame } from "#dialects/stream/sse.ts";
import { runs } from "#test/property-runs.ts";
import { openArray } from "./array-stream.ts";

const { gemini } = dialects;
const streams = Object.entries(
  import.meta.glob("./fixtures/*.sse", { query: "?raw", import: "default", eager: true }),
);

function pieces(all: Buffer, cuts: number[]): Buffer[] {
  const at = cuts.map((cut) => cut % (all.length + 1)).toSorted((one, other) => one - other);
  return [0, ...at].map((from, index) => all.subarray(from, at[index] ?? all.length));
}

function framesOf(chunks: Buffer[]): RawFrame[] {
  const splitter = createFrameSplitter();
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.flush()];
}

function eventsOf(frames: RawFrame[]): ChatEvent[] {
  const decoder = gemini.decodeStream();
  return [...frames.flatMap(({ frame }) => decoder.frame(frame)), ...decoder.end()];
}

function asArray(text: string, indent: number | undefined, comma: string): string {
  const elements = framesOf([Buffer.from(text)]).map(({ frame }) => JSON.parse(frame.data) as unknown);
  return `[${elements.map((each) => JSON.stringify(each, undefined, indent)).join(comma)}\n]\r\n`;
}

describe.each(streams)("%s as one array", (_name, text) => {
  it("has the same content as its events, at any chunk boundaries", () => {
    const want = eventsOf(framesOf([Buffer.from(text)]));
    for (const [indent, comma] of [
      [undefined, ","],
      [2, "\n,\r\n"],
    ] as const) {
      const all = Buffer.from(asArray(text, indent, comma));
      fc.assert(
        fc.property(fc.array(fc.nat(), { maxLength: 40 }), (cuts) => {
          const read = openArray();
          expect(eventsOf(framesOf(pieces(all, cuts).map((piece) => read(piece))))).toEqual(want);
        }),
        { numRuns: runs(60) },
      );
    }
  });
});

describe("conversion of one array to events", () => {
  it("is split correctly inside texts with brackets, quotes and wide characters", () => {
    const parts = [
      { text: '}]{["\\\n' },
      { text: "船⛵ü" },
      { functionCall: { name: "f", args: { a: [[1], {}] } } },
    ];
    const all = Buffer.from(
      `[\n${JSON.stringify(parts[0], null, 1)},${JSON.stringify(parts.slice(1)[0])},${JSON.stringify(parts[2])}]`,
    );
    for (let cut = 0; cut <= all.length; cut += 1) {
      const read = openArray();
      const frames = framesOf([read(all.subarray(0, cut)), read(all.subarray(cut))]);
      expect(frames.map(({ frame }) => JSON.parse(frame.data) as unknown)).toEqual(parts);
    }
  });

  it("returns each element as soon as it is complete", () => {
    const read = openArray();
    expect(read(Buffer.from('[{"a":1}')).toString()).toBe('data: {"a":1}\n\n');
    expect(read(Buffer.from(',{"a":')).toString()).toBe('data: {"a":');
    expect(read(Buffer.from("2}]")).toString()).toBe("2}\n\n");
  });

  it("passes a single error outside an array", () => {
    const error = { error: { code: 503, message: "Busy.", status: "UNAVAILABLE" } };
    const events = eventsOf(framesOf([openArray()(Buffer.from(JSON.stringify(error, null, 2)))]));
    expect(events.at(-1)).toMatchObject({ type: "error", error: { kind: "overloaded" } });
  });
});
