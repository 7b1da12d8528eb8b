import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCharacter, runs } from "#test/property-runs.ts";
import { emptyTally, hasText, hasValue, lastObject, lastText, tallyObjects, tallyValues } from "./tally.ts";

/** Texts in which keys could be mistaken. */
const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.constantFrom('"text":"x', '\\"text":', 'text"', '{"usage":{"input":1}}', "a\nb\u2028\u0001", "词😀"),
);
const part = fc.record(
  {
    text,
    mytext: text,
    args: fc.record({ text, path: fc.constant("/") }),
    usage: fc.record({ input: fc.nat(9), note: text }),
    service_tier: fc.constantFrom("flex", "priority"),
  },
  { requiredKeys: [] },
);

function read(json: string) {
  const tally = emptyTally();
  const rest = tallyObjects(json, 'args"', tally);
  const found = tallyValues(rest, 'text"', tally);
  return {
    tally,
    found,
    hasText: hasText(json, 'text"'),
    hasValue: hasValue(json, 'usage"', "{"),
    usage: lastObject(json, 'usage"'),
    tier: lastText(json, 'service_tier"'),
  };
}

describe("values read from JSON without parsing it", () => {
  it("finds a text beside an empty one", () => {
    const json = JSON.stringify([{ finish_reason: "" }, { finish_reason: "stop" }]);
    expect(hasText(json, 'finish_reason"')).toBe(true);
    expect(hasText('{"finish_reason":""}', 'finish_reason"')).toBe(false);
    expect(hasText('{"content":"finish_reason"}', 'finish_reason"')).toBe(false);
  });

  it("reads a text to its closing quote, also with an escaped one inside", () => {
    expect(lastText(JSON.stringify({ service_tier: 'a"b' }), 'service_tier"')).toBe('a\\"b');
  });

  it("reads the same in a long JSON text", () => {
    const padding = " ".repeat(20_000);
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), fc.boolean(), (parts, isBefore) => {
        const json = JSON.stringify(parts);
        expect(read(isBefore ? padding + json : json + padding)).toEqual(read(json));
      }),
      { numRuns: runs(200) },
    );
  });
});
