import { describe, expect, it } from "vitest";
import { type LoggedCharge, matchCharges } from "./match.ts";

const call = (id: string, at: number, fields: Partial<LoggedCharge> = {}): LoggedCharge => ({
  id,
  startedAt: at,
  endedAt: at,
  model: "m",
  input: 10,
  output: 5,
  points: 100n,
  ...fields,
});
const pairs = (here: LoggedCharge[], there: LoggedCharge[]) =>
  [...matchCharges(here, there, 10)].map(({ here: a, there: b, isAmbiguous }) => [
    a?.id ?? "",
    b?.id ?? "",
    isAmbiguous,
  ]);

describe("matching of charges", () => {
  it("uses each row once, in the order of time", () => {
    expect(pairs([call("a", 0), call("b", 4)], [call("y", 5), call("x", 1)])).toEqual([
      ["a", "x", false],
      ["b", "y", false],
    ]);
    expect(pairs([call("a", 0), call("b", 1)], [call("x", 2)])).toEqual([
      ["a", "x", false],
      ["b", "", false],
    ]);
  });

  it("finds a row that was written while a long call ran, and none outside the window", () => {
    expect(pairs([call("a", 0, { endedAt: 500 })], [call("x", 100)])).toEqual([["a", "x", false]]);
    expect(pairs([call("a", 0)], [call("x", 11)])).toEqual([
      ["a", "", false],
      ["", "x", false],
    ]);
  });

  it("pairs calls with different tokens only if there is one choice", () => {
    expect(pairs([call("a", 0)], [call("x", 1, { input: 11 })])).toEqual([["a", "x", false]]);
    expect(pairs([call("a", 0)], [call("x", 1, { input: 11 }), call("y", 2, { input: 12 })])).toEqual([
      ["a", "", true],
    ]);
  });

  it("calls a pair ambiguous if another row with another charge fits", () => {
    const cheap = { points: 90n };
    expect(pairs([call("a", 0), call("b", 2)], [call("x", 1, cheap), call("y", 3)])).toEqual([
      ["a", "x", true],
      ["b", "y", false],
    ]);
    expect(pairs([call("a", 0), call("b", 2)], [call("x", 1, cheap), call("y", 3, cheap)])).toEqual([
      ["a", "x", false],
      ["b", "y", false],
    ]);
  });

  it("uses request ids first, also when time and tokens differ", () => {
    const here = [call("a", 0, { requestId: "1" }), call("b", 1, { requestId: "2" })];
    const there = [
      call("x", 0, { requestId: "2", points: 90n }),
      call("y", 900, { requestId: "1", input: 11 }),
    ];
    expect(pairs(here, there)).toEqual([
      ["a", "y", false],
      ["b", "x", false],
    ]);
  });

  it("falls back to time and tokens for ids of one side only, and for ids that are not unique", () => {
    const lone = [call("a", 0, { requestId: "1" }), call("b", 20)];
    expect(pairs(lone, [call("x", 1, { requestId: "9" }), call("y", 21, { requestId: "8" })])).toEqual([
      ["a", "x", false],
      ["b", "y", false],
    ]);
    const repeated = [call("a", 0, { requestId: "1" }), call("b", 50, { requestId: "1" })];
    expect(pairs(repeated, [call("x", 50, { requestId: "1" })])).toEqual([
      ["b", "x", false],
      ["a", "", false],
    ]);
  });

  it("takes time in proportion to the calls, also when the tokens of all differ", () => {
    const millisecondsFor = (calls: number) => {
      const made = (fields: Partial<LoggedCharge>) =>
        Array.from({ length: calls }, (_, second) => call(String(second), second * 1_000, fields));
      const [here, there] = [made({ input: 10 }), made({ input: 11 })];
      const before = performance.now();
      expect([...matchCharges(here, there, 60_000)]).toHaveLength(calls);
      return performance.now() - before;
    };
    const few = millisecondsFor(10_000);
    // Eight times as many. Every call compared with every other one would take 64 times as long.
    expect(millisecondsFor(80_000)).toBeLessThan(few * 30);
  });
});
