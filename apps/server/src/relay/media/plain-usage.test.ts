import { describe, expect, it } from "vitest";
import { proofOf, recordedProviders, recording } from "#providers/recordings.fixture.ts";
import { audioUsage, plainUsage } from "./plain-usage.ts";

const recorded = recordedProviders().flatMap((provider) =>
  Object.entries(proofOf(provider).plain).map(([file, { usage }]) => ({ provider, file, usage })),
);

describe("plainUsage on recorded responses", () => {
  it.each(recorded)("$provider/$file: reports the expected usage", ({ provider, file, usage }) => {
    const { raw: _raw, ...counted } = plainUsage(recording(provider, file)).usage ?? {};
    expect(counted).toEqual(usage ?? {});
  });
});

describe("usage of a recording", () => {
  it("is counted by the duration in the response when the provider reports no usage", () => {
    for (const duration of [6, "6.00"]) {
      const { usage } = plainUsage(JSON.stringify({ task: "transcribe", duration, text: "Ahoy." }));
      expect(usage).toMatchObject({ input: 60, audioInput: 60, output: 0 });
    }
    const reported = { duration: 6, text: "Ahoy.", usage: { type: "duration", seconds: 7 } };
    expect(plainUsage(JSON.stringify(reported)).usage).toMatchObject({ input: 70 });
  });

  it("is not counted by an invalid duration, nor by one without a text", () => {
    for (const answer of [
      { text: "Ahoy.", duration: "long" },
      { text: "Ahoy.", duration: 0 },
      { duration: 6 },
    ])
      expect(plainUsage(JSON.stringify(answer)).usage).toBeUndefined();
  });

  it("is counted by its file when the provider reports nothing: ten tokens per second, not the reservation", () => {
    const call = { audioSeconds: 6, estimate: { input: 8 + 6 * 32, output: 4_096, audioInput: 6 * 32 } };
    expect(audioUsage(call, { narrow: 8, wide: 0 })).toEqual({ input: 68, audioInput: 60, output: 2 });
    expect(audioUsage({ estimate: { input: 8, output: 0 } }, { narrow: 8, wide: 0 })).toBeUndefined();
  });

  it("is counted by its text when the file is too small for it, as with Opus at 8 kbit/s", () => {
    const call = { audioSeconds: 6, estimate: { input: 8 + 6 * 32, output: 4_096, audioInput: 6 * 32 } };
    expect(audioUsage(call, { narrow: 600, wide: 0 })).toMatchObject({ audioInput: 240 });
    expect(audioUsage(call, { narrow: 0, wide: 400 })).toMatchObject({ audioInput: 500 });
    // Normal speech in a normal file costs the same as before.
    expect(audioUsage(call, { narrow: 90, wide: 0 })).toMatchObject({ audioInput: 60 });
  });
});
