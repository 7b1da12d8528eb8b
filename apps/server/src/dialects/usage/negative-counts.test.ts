import { describe, expect, it } from "vitest";
import { withoutNegativeCounts } from "./negative-counts.ts";

describe("negative token counts for clients", () => {
  it.each([
    [
      '{"usage":{"prompt_tokens":-5,"total_tokens": -1.5e3}}',
      '{"usage":{"prompt_tokens":0,"total_tokens": 0}}',
    ],
    ['{"usageMetadata":{"promptTokenCount":-7}}', '{"usageMetadata":{"promptTokenCount":0}}'],
    ['{"usage":{"output_tokens":-7},"x_tokens":1}', '{"usage":{"output_tokens":0},"x_tokens":1}'],
  ])("%s are zero", (json, expected) => {
    expect(withoutNegativeCounts(json)).toBe(expected);
  });

  it("text of the model, and counts that are not negative, are the same object", () => {
    const json = JSON.stringify({ content: '{"prompt_tokens":-5}', usage: { prompt_tokens: 5 } });
    expect(withoutNegativeCounts(json)).toBe(json);
  });
});
