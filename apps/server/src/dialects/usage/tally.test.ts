import { describe, expect, it } from "vitest";
import { hasText, lastText } from "./tally.ts";

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
});
