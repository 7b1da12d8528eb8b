import { describe, expect, it } from "vitest";
import { heardUsage, plainUsage } from "./plain-usage.ts";

describe("a recording", () => {
  it("is counted by the length that a long answer names, where the vendor says no usage", () => {
    for (const duration of [6, "6.00"]) {
      const { usage } = plainUsage(JSON.stringify({ task: "transcribe", duration, text: "Ahoy." }));
      expect(usage).toMatchObject({ input: 60, audioInput: 60, output: 0 });
    }
    const told = { duration: 6, text: "Ahoy.", usage: { type: "duration", seconds: 7 } };
    expect(plainUsage(JSON.stringify(told)).usage).toMatchObject({ input: 70 });
  });

  it("is not counted by a length that is none, nor by that of something else", () => {
    for (const answer of [
      { text: "Ahoy.", duration: "long" },
      { text: "Ahoy.", duration: 0 },
      { duration: 6 },
    ])
      expect(plainUsage(JSON.stringify(answer)).usage).toBeUndefined();
  });

  it("is counted by its file where the vendor is silent: ten tokens a second, not what was held for it", () => {
    const call = { heardSeconds: 6, estimate: { input: 8 + 6 * 32, output: 4_096, audioInput: 6 * 32 } };
    expect(heardUsage(call, { narrow: 8, wide: 0 })).toEqual({ input: 68, audioInput: 60, output: 2 });
    expect(heardUsage({ estimate: { input: 8, output: 0 } }, { narrow: 8, wide: 0 })).toBeUndefined();
  });
});
