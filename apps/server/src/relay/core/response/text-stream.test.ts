import { describe, expect, it } from "vitest";
import type { TextReader, TextStream } from "#relay/core/call.ts";
import { piecesOf, streamText, tapText } from "./text-stream.ts";

/** A stream of `count` pieces that records how it ended. Each piece waits until the client accepts it. */
function source(count: number, breaksAt = -1) {
  const state = { sent: 0, left: 0, ended: false };
  let client: TextReader | undefined;
  function send(): void {
    if (client === undefined || state.left > 0 || state.ended) return;
    if (state.sent === count || state.sent === breaksAt) {
      state.ended = true;
      return client.end(state.sent === breaksAt ? new Error("it broke") : undefined);
    }
    state.sent += 1;
    if (client.write(`piece ${state.sent}`)) send();
  }
  const stream: TextStream = {
    start(reader) {
      client = reader;
      send();
    },
    resume: send,
    async leave() {
      if (!state.ended) state.left += 1;
    },
  };
  return { state, stream };
}

async function take(stream: TextStream, most: number): Promise<string[]> {
  const taken: string[] = [];
  for await (const piece of piecesOf(stream)) if (taken.push(piece) === most) break;
  return taken;
}

/** Returns the stream with a tap that records its calls. */
function tapped(stream: TextStream, piece: (text: string) => string) {
  const calls = { whole: 0, ended: 0 };
  const tap = { piece, whole: () => void (calls.whole += 1), ended: () => void (calls.ended += 1) };
  return { calls, stream: tapText(stream, tap) };
}

describe("the pieces of a stream", () => {
  it("are read one after the other to the end", async () => {
    const { state, stream } = source(3);
    expect(await take(stream, 10)).toEqual(["piece 1", "piece 2", "piece 3"]);
    expect(state).toEqual({ sent: 3, left: 0, ended: true });
  });

  it("are not read further than their reader goes, and leave the stream with it", async () => {
    const { state, stream } = source(3);
    expect(await take(stream, 2)).toEqual(["piece 1", "piece 2"]);
    expect(state).toEqual({ sent: 2, left: 1, ended: false });
  });

  it("end with the stream's error", async () => {
    await expect(take(source(3, 2).stream, 10)).rejects.toThrow("it broke");
  });

  it("of a complete text are that text", async () => {
    expect(await take(streamText("all"), 10)).toEqual(["all"]);
  });
});

describe("a tapped stream", () => {
  it("passes the changed text, and reports once that it is complete", async () => {
    const { calls, stream } = tapped(source(3).stream, (text) => text.toUpperCase());
    expect(await take(stream, 10)).toEqual(["PIECE 1", "PIECE 2", "PIECE 3"]);
    expect(calls).toEqual({ whole: 1, ended: 1 });
  });

  it("goes on after a piece that became empty", async () => {
    const { stream } = tapped(source(3).stream, (text) => (text === "piece 2" ? "" : text));
    expect(await take(stream, 10)).toEqual(["piece 1", "piece 3"]);
  });

  it("is not whole when its reader leaves or when it breaks", async () => {
    const left = tapped(source(3).stream, (text) => text);
    await take(left.stream, 1);
    expect(left.calls).toEqual({ whole: 0, ended: 1 });
    const broken = tapped(source(3, 1).stream, (text) => text);
    await expect(take(broken.stream, 10)).rejects.toThrow("it broke");
    expect(broken.calls).toEqual({ whole: 0, ended: 1 });
  });

  it("closes the bill when a piece cannot be changed, and ends with that error", async () => {
    const { state, stream } = source(3);
    const { calls, stream: changed } = tapped(stream, (text) => {
      if (text === "piece 2") throw new Error("cannot encode");
      return text;
    });
    await expect(take(changed, 10)).rejects.toThrow("cannot encode");
    expect(state.left).toBe(1);
    expect(calls).toEqual({ whole: 0, ended: 1 });
  });
});
