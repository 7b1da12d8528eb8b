import { describe, expect, it } from "vitest";
import { meter } from "./settle.ts";

const expected = { input: 7, output: 100 };

describe("meter", () => {
  it("caps an implausible provider count and keeps the unbilled counts", () => {
    const reported = { input: 1_000_000_001, output: 1, toolCalls: { "web-search": 1_000_001 } };
    expect(meter(reported, true, { narrow: 4, wide: 0 }, expected)).toEqual({
      usage: { input: 1_028, output: 1, toolCalls: { "web-search": 20 } },
      estimated: true,
      implausible: { input: 1_000_000_001, "tool:web-search": 1_000_001 },
    });
  });

  it("never counts more than the request could have produced", () => {
    const { usage } = meter(undefined, false, { narrow: 1_000_000, wide: 0 }, expected);
    expect(usage).toEqual({ input: 7, output: 400 });
  });

  it("charges a share of the reservation for complete images or audio without reported usage", () => {
    const silent = { narrow: 0, wide: 0 };
    const images = { input: 7, output: 6_240, imageOutput: 6_240 };
    const speech = { input: 7, output: 300, audioOutput: 300 };
    expect(meter(undefined, true, silent, images).usage).toEqual({ ...images });
    expect(meter(undefined, true, silent, speech).usage).toEqual({ input: 7, output: 150, audioOutput: 150 });
    expect(meter(undefined, false, silent, images).usage).toEqual({ input: 7, output: 0 });
  });
});
