import { describe, expect, it } from "vitest";
import { createEventCutter } from "./sse.ts";

const stream = ': hello\r\n\r\ndata: {"a":1}\r\n\r\nevent: x\ndata: one\ndata: two\n\ndata: [DONE]\n\n';

describe("the event cutter", () => {
  it("returns the data of each event and ignores comments", () => {
    expect(createEventCutter()(stream)).toEqual(['{"a":1}', "one\ntwo", "[DONE]"]);
  });

  it("returns the same events for any split of the stream", () => {
    for (let at = 0; at <= stream.length; at += 1) {
      const cut = createEventCutter();
      expect([...cut(stream.slice(0, at)), ...cut(stream.slice(at))]).toEqual([
        '{"a":1}',
        "one\ntwo",
        "[DONE]",
      ]);
    }
  });

  it("keeps an incomplete event", () => {
    const cut = createEventCutter();
    expect(cut("data: half")).toEqual([]);
    expect(cut(" done\n\n")).toEqual(["half done"]);
  });
});
