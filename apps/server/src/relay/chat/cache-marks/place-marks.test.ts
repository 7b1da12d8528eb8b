import { describe, expect, it } from "vitest";
import type { KnownPrompt } from "#domain/channels/selection/known-prompts.ts";
import { placeMarks } from "./place-marks.ts";
import { piecesOf } from "./prompt-pieces.ts";

const MINUTE = 60_000;
const tools = [{ name: "look", input_schema: { type: "object" } }];
const turns = (...texts: string[]) =>
  texts.map((content, at) => ({ role: at % 2 ? "assistant" : "user", content }));

/** Sends calls one after the other, and returns the pieces that are marked in each. */
function session(
  bodies: readonly { messages: object[]; system?: string; tools?: object[] }[],
  { pause = 10_000, isAgent = true, minSize = 0, targets = [] as string[] } = {},
): (readonly number[] | undefined)[] {
  let known: KnownPrompt | undefined;
  return bodies.map((body, at) => {
    const pieces = piecesOf({ tools, system: "You are an agent.", ...body });
    if (pieces === undefined) return undefined;
    const target = targets[at] ?? "1";
    const placed = placeMarks(pieces, known, { now: at * pause, target, minSize, isAgent });
    ({ known } = placed);
    return placed.marks;
  });
}

const growing = (calls: number, change: (texts: string[], call: number) => string[] = (texts) => texts) =>
  Array.from({ length: calls }, (_, call) => ({
    messages: turns(
      ...change(
        Array.from({ length: 2 * call + 1 }, (__, at) => `text ${at}`),
        call,
      ),
    ),
  }));

describe("the marks of a session", () => {
  it("follow a conversation that is only continued: its fixed part, the last call's end, the new end", () => {
    expect(session(growing(4))).toEqual([
      [2, 3],
      [2, 3, 5],
      [2, 5, 7],
      [2, 7, 9],
    ]);
  });

  it("wait for the second call where there are no tools", () => {
    expect(session(growing(3), { isAgent: false })).toEqual([[], [2, 5], [2, 5, 7]]);
  });

  it("stay before a last message that is different in each call", () => {
    const marks = session(growing(5, (texts, call) => [...texts.slice(0, -1), `now ${call}`]));
    expect(marks.slice(2)).toEqual([
      [2, 6],
      [2, 6, 8],
      [2, 8, 10],
    ]);
  });

  it("stay at the tools while the system prompt changes with each call", () => {
    const bodies = growing(4).map((body, call) => ({ ...body, system: `It is ${call} o'clock.` }));
    expect(session(bodies).slice(1)).toEqual([[1], [1], [1]]);
  });

  it("are gone while everything changes", () => {
    const bodies = growing(4).map((body, call) => ({ ...body, tools: [{ name: `tool ${call}` }] }));
    expect(session(bodies).slice(1)).toEqual([[], [], []]);
  });

  it("stay at the fixed part while the oldest messages are cut off", () => {
    const bodies = growing(6, (texts, call) => texts.slice(2 * Math.max(0, call - 2)));
    expect(session(bodies).slice(4)).toEqual([[2], [2]]);
  });

  it("go to the new end after one change of the history", () => {
    const bodies = [...growing(4), ...growing(3, (texts) => ["summary", ...texts.slice(1)])];
    expect(session(bodies).slice(4)).toEqual([
      [2, 3],
      [2, 3, 5],
      [2, 5, 7],
    ]);
  });

  it("stop after three writes that expired, and come back when the calls are fast again", () => {
    const slow = session(growing(6), { pause: 6 * MINUTE });
    expect(slow.map((marks) => marks?.length)).toEqual([2, 3, 3, 0, 0, 0]);
    let known: KnownPrompt | undefined;
    const lengths = growing(8).map((body, at) => {
      const pieces = piecesOf({ tools, system: "You are an agent.", ...body });
      const now = at < 4 ? at * 6 * MINUTE : 18 * MINUTE + at * 1_000;
      const placed = placeMarks(pieces!, known, { now, target: "1", minSize: 0, isAgent: true });
      ({ known } = placed);
      return placed.marks.length;
    });
    expect(lengths).toEqual([2, 3, 3, 0, 3, 3, 3, 3]);
  });

  it("do not count a move to another channel as a wasted write", () => {
    const marks = session(growing(6), { targets: ["1", "2", "1", "2", "1", "2"] });
    expect(marks.at(-1)).toEqual([2, 11, 13]);
  });

  it("are left out where the beginning is too short to be cached", () => {
    expect(session(growing(3), { minSize: 170 })).toEqual([[], [], [7]]);
  });

  it("are the client's where it has placed some", () => {
    const own = {
      role: "user",
      content: [{ type: "text", text: "a", cache_control: { type: "ephemeral" } }],
    };
    expect(session([{ messages: [own] }])).toEqual([undefined]);
    expect(piecesOf({ messages: [], cache_control: { type: "ephemeral" } })).toBeUndefined();
  });

  it("of a conversation of 400 messages are found by its newest messages", () => {
    const marks = session(growing(200));
    expect(marks.at(-1)).toEqual([2, 399, 401]);
  });
});
