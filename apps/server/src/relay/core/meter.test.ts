import { describe, expect, it } from "vitest";
import { meter } from "./meter.ts";

const expected = { input: 7, output: 100 };

describe("what a call used", () => {
  it("a provider's count is capped where it cannot be true, and the counts that were not billed are kept", () => {
    const reported = { input: 1_000_000_001, output: 1, toolCalls: { "web-search": 1_000_001 } };
    expect(meter(reported, true, { narrow: 4, wide: 0 }, expected)).toEqual({
      usage: { input: 1_028, output: 1, toolCalls: { "web-search": 20 } },
      estimated: true,
      implausible: { input: 1_000_000_001, "tool:web-search": 1_000_001 },
    });
  });

  it("our own count never exceeds what the request could have produced", () => {
    const { usage } = meter(undefined, false, { narrow: 1_000_000, wide: 0 }, expected);
    expect(usage).toEqual({ input: 7, output: 400 });
  });

  it("a whole answer in pictures or sound without a count costs a share of what was reserved", () => {
    const silent = { narrow: 0, wide: 0 };
    const images = { input: 7, output: 6_240, imageOutput: 6_240 };
    const speech = { input: 7, output: 300, audioOutput: 300 };
    expect(meter(undefined, true, silent, images).usage).toEqual({ ...images });
    expect(meter(undefined, true, silent, speech).usage).toEqual({ input: 7, output: 150, audioOutput: 150 });
    expect(meter(undefined, false, silent, images).usage).toEqual({ input: 7, output: 0 });
  });
});
