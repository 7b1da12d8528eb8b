import { describe, expect, it } from "vitest";
import type { Usage } from "#dialects/ir.ts";
import { plausibleUsage, mostOf } from "./plausible.ts";
import { mostGrowth } from "./search-rounds.ts";

const expected = { input: 10, output: 100 };
const ours = { input: 10, output: 7 };
const usageOf = (reported: Usage, over: object = {}) =>
  plausibleUsage(reported, ours, { ...expected, ...over });

describe("reported usage", () => {
  it.each([
    [{ input: 12, output: 9 }],
    [{ input: 0, output: 0, toolCalls: { "web-search": 20 } }],
    [{ input: 1_040, output: 400, reasoning: 300, cacheRead: 12 }],
  ])("is billed as reported if the request could have produced it: %j", (reported) => {
    const free = { input: 10, output: 0 };
    expect(plausibleUsage(reported, free, expected)).toEqual({
      usage: reported,
      implausible: undefined,
      estimated: false,
    });
  });

  it.each<[Usage, Partial<Usage>, Record<string, number>]>([
    [
      { input: 1e9, output: 1e9 },
      { input: 1_040, output: 400 },
      { input: 1e9, output: 1e9 },
    ],
    [{ input: 10, output: -5 }, { input: 10, output: 7 }, {}],
    [{ input: Number.NaN, output: 3 }, { input: 10, output: 3 }, {}],
    [{ input: 1.5, output: 1e308 }, { input: 10, output: 7 }, {}],
    [{ input: 0, output: 0, missing: ["output"] }, { input: 10, output: 7 }, { input: 0 }],
    [{ input: 0, output: 5 }, { input: 10, output: 5 }, { input: 0 }],
    [{ input: 5, output: 0 }, { input: 5, output: 7 }, { output: 0 }],
    [{ input: 5, output: 5, audioOutput: 5 }, { input: 5, output: 5 }, { audioOutput: 5 }],
    [
      { input: 5, output: 5, cacheRead: -4, reasoning: 0.5 },
      { input: 5, output: 5 },
      { cacheRead: -4, reasoning: 0.5 },
    ],
    [
      { input: 5, output: 5, toolCalls: { a: 1e6 } },
      { input: 5, output: 5, toolCalls: { a: 20 } },
      { "tool:a": 1e6 },
    ],
    [
      { input: 5, output: 5, toolCalls: { constructor: 1e6 } },
      { input: 5, output: 5, toolCalls: { constructor: 20 } },
      { "tool:constructor": 1e6 },
    ],
    [
      { input: 5, output: 5, toolCalls: { a: -1 } },
      { input: 5, output: 5, toolCalls: { a: 0 } },
      { "tool:a": -1 },
    ],
  ])("%j is replaced by plausible counts", (reported, billed, implausible) => {
    const found = usageOf(reported);
    expect(found.usage).toEqual(billed);
    expect(found.implausible ?? {}).toEqual(implausible);
    expect(found.estimated).toBe(true);
  });

  it("allows more where a limit is missing or input is unseen", () => {
    expect(mostOf({ ...expected, isOpen: true })).toEqual({ input: 1_040, output: 131_072 });
    expect(mostOf({ ...expected, isUnseen: true })).toEqual({ input: 2_001_040, output: 400 });
    // The largest request with the most searches: each round reads all of it.
    for (const [input, searches] of [
      [1_000_000, 20],
      [500_000, 5],
    ] as const)
      expect(mostOf({ input, output: 100, isUnseen: true, searches }).input).toBeGreaterThanOrEqual(
        input * (searches + 1) + mostGrowth(searches),
      );
    expect(usageOf({ input: 90_000, output: 90_000 }, { isOpen: true, isUnseen: true })).toMatchObject({
      usage: { input: 90_000, output: 90_000 },
      estimated: false,
    });
  });

  it("accepts requested audio output and the requested number of tool calls", () => {
    const over = { audioOutput: 100, toolCalls: { a: 10 } };
    const reported = { input: 5, output: 5, audioOutput: 5, toolCalls: { a: 40 } };
    expect(usageOf(reported, over)).toEqual({ usage: reported, implausible: undefined, estimated: false });
  });
});
