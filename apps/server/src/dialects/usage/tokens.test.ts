import { describe, expect, it } from "vitest";
import { decodeUsage as ofChat } from "#dialects/openai-chat/usage.ts";
import { decodeUsage as ofResponses } from "#dialects/openai-responses/usage.ts";

interface Counts {
  input: number;
  output: number;
  reasoning?: number;
  cached?: number;
  total?: number;
}

const formats = {
  "Chat Completions": ({ input, output, reasoning, cached, total }: Counts) =>
    ofChat({
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: total,
      completion_tokens_details: { reasoning_tokens: reasoning },
      prompt_tokens_details: { cached_tokens: cached },
    }),
  Responses: ({ input, output, reasoning, cached, total }: Counts) =>
    ofResponses(
      {
        input_tokens: input,
        output_tokens: output,
        total_tokens: total,
        output_tokens_details: { reasoning_tokens: reasoning },
        input_tokens_details: { cached_tokens: cached },
      },
      {},
    ),
};

describe.each(Object.entries(formats))("output tokens of %s", (_name, decode) => {
  it.each<[string, Counts, number]>([
    ["within the output", { input: 10, output: 27, reasoning: 25, total: 37 }, 27],
    ["beside the output", { input: 10, output: 2, reasoning: 25, total: 37 }, 27],
    ["beside the output, in the total only", { input: 10, output: 2, total: 37 }, 27],
    ["beside the output, without a total", { input: 10, output: 2, reasoning: 25 }, 27],
    [
      "beside the output, with other tokens in the total",
      { input: 10, output: 2, reasoning: 20, total: 37 },
      22,
    ],
    ["more than the output, not in the total", { input: 10, output: 26, reasoning: 27, total: 36 }, 26],
    ["none, with cached tokens in the total only", { input: 10, output: 2, cached: 50, total: 62 }, 2],
  ])("reasoning %s", (_case, counts, output) => {
    expect(decode(counts)?.output).toBe(output);
  });
});

it("a usage of Responses names twenty tools at most, by short names", () => {
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`tool_${index}`, 1]));
  for (const details of [{ ["x".repeat(100_000)]: 1, search_web: 2 }, { ...many }]) {
    const wire = { input_tokens: 1, output_tokens: 1, server_side_tool_usage_details: details };
    const { toolCalls = {} } = ofResponses(wire, {}) ?? {};
    expect(Object.keys(toolCalls).length).toBeLessThanOrEqual(20);
    expect(JSON.stringify(toolCalls).length).toBeLessThan(2_000);
    if ("search_web" in details) expect(toolCalls).toEqual({ "web-search": 2 });
  }
});
