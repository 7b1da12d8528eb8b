import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCountFilter, withoutNegativeCounts } from "./negative-counts.ts";

describe("negative token counts for clients", () => {
  it.each([
    [
      '{"usage":{"prompt_tokens":-5,"total_tokens": -1.5e3}}',
      '{"usage":{"prompt_tokens":0,"total_tokens": 0}}',
    ],
    ['{"usageMetadata":{"promptTokenCount":-7}}', '{"usageMetadata":{"promptTokenCount":0}}'],
    ['{"usage":{"type":"duration","seconds":-3.5}}', '{"usage":{"type":"duration","seconds":0}}'],
    ['{"usage":{"output_tokens":-7},"x_tokens":1}', '{"usage":{"output_tokens":0},"x_tokens":1}'],
  ])("%s are zero", (json, expected) => {
    expect(withoutNegativeCounts(json)).toBe(expected);
  });

  it("text of the model, and counts that are not negative, are the same object", () => {
    const json = JSON.stringify({ content: '{"prompt_tokens":-5}', usage: { prompt_tokens: 5 } });
    expect(withoutNegativeCounts(json)).toBe(json);
  });
});

describe("filter of negative counts in bytes", () => {
  const usage = {
    input_tokens: -5,
    output_tokens: 7,
    x: [-1],
    details: [{ tokenCount: -1.5e3 }],
    seconds: -2,
  };
  const text = `data: ${JSON.stringify({ text: '"input_tokens":-5', usage }, null, 1)}\n\n{"total_tokens" :\n -12}`;

  it("gives the same as the filter of texts at any split, and keeps the length", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 20 }), (cuts) => {
        const filter = createCountFilter();
        const bytes = Buffer.from(text);
        const ends = [...cuts.toSorted((a, b) => a - b), bytes.length];
        const parts = ends.map((end, index) => filter(bytes.subarray(ends[index - 1] ?? 0, end)));
        const result = Buffer.concat(parts).toString();
        expect(result).toHaveLength(text.length);
        expect(result.replaceAll(/0 +(?=[,}\s\]])/g, "0")).toBe(withoutNegativeCounts(text));
        expect(bytes.toString()).toBe(text);
      }),
    );
  });

  it("returns the same chunk when nothing is negative", () => {
    const chunk = Buffer.from('{"usage":{"input_tokens":5,"note":"tokens\\":-5"}}');
    expect(createCountFilter()(chunk)).toBe(chunk);
  });
});
