import { describe, expect, it } from "vitest";
import { channel } from "#domain/channels/selection/channels.fixture.ts";
import { parseMapping } from "#domain/channels/selection/load-channels.ts";
import { ali } from "#providers/definitions/ali.ts";
import { anthropic } from "#providers/definitions/anthropic.ts";
import { azureFoundry } from "#providers/definitions/cloud/azure-foundry.ts";
import { custom } from "#providers/definitions/custom.ts";
import { openai } from "#providers/definitions/openai.ts";
import { offeredOf, reservedUsage, priceOptionsOf, withCacheWrites, withOneSearch } from "./price-options.ts";

const estimate = { input: 1_000, output: 500, imageInput: 800 };

describe("reserved", () => {
  it("reserves everything, everything without images, or one token, depending on the channel", () => {
    const reservedFor = (preCost: number) =>
      reservedUsage(estimate, { preCost, prompt: 0, window: 1_000, images: 1 });
    expect(reservedFor(1)).toBe(estimate);
    expect(reservedFor(2)).toEqual({ input: 200, output: 500 });
    expect(reservedFor(3)).toEqual({ input: 1, output: 0 });
  });

  it("covers the channel's own system prompt", () => {
    const [option] = priceOptionsOf([channel({ id: 1, systemPrompt: "x".repeat(400) })], "gpt");
    expect(option?.reserves.prompt).toBeGreaterThanOrEqual(100);
    expect(reservedUsage(estimate, { preCost: 1, prompt: 100, window: 1_000, images: 1 })).toEqual({
      ...estimate,
      input: 1_100,
    });
  });
});

describe("price options and channels of a model", () => {
  it("returns each way of billing and reserving once", () => {
    const list = [
      channel({ id: 1 }),
      channel({ id: 2 }),
      channel({ id: 3, mapping: parseMapping({ gpt: "other" }) }),
      channel({ id: 4, preCost: 3 }),
    ];
    const options = priceOptionsOf(list, "gpt").map(
      ({ billed, reserves }) => `${billed} ${reserves.preCost}`,
    );
    expect(options).toEqual(["gpt 1", "other 1", "gpt 3"]);
    expect(priceOptionsOf(list, "gpt")).toBe(priceOptionsOf(list, "gpt"));
  });

  it("keeps the list when every provider serves the path, and filters it otherwise", () => {
    const list = [channel({ id: 1 })];
    expect(offeredOf(list, "chat", "/v1/chat/completions", "gpt")).toBe(list);
    const rerank = offeredOf(list, "rerank", "/v1/rerank", "gpt");
    expect(rerank).toEqual([]);
    expect(offeredOf(list, "rerank", "/v1/rerank", "gpt")).toBe(rerank);
  });

  it("leaves calls that only Responses supports to providers with a Responses endpoint", () => {
    const bare = channel({ id: 1, provider: custom });
    const own = channel({
      id: 2,
      provider: custom,
      plugin: { customize: { "16": "/api/v3/responses" } },
    });
    const forbidden = channel({ id: 3, compatibleResponse: true });
    const claude = channel({
      id: 4,
      provider: azureFoundry,
      mapping: parseMapping({ gpt: "claude-opus-5" }),
    });
    const list = [bare, own, forbidden, claude];
    const other = [claude];
    expect(offeredOf(list, "responses", "/v1/responses", "gpt")).toEqual([own]);
    expect(offeredOf(other, "responses", "/v1/responses", "gpt-5")).toBe(other);
    expect(offeredOf(other, "responses", "/v1/responses", "gpt")).toEqual([]);
    expect(offeredOf(list, "chat", "/v1/responses", "gpt")).toBe(list);
  });
});

it("an operator's output limit is reserved", () => {
  const wants = (parameters: Record<string, unknown>) =>
    priceOptionsOf([channel({ id: 1, parameters })], "gpt").map(({ reserves }) => reserves.output);
  expect(wants({ max_tokens: 9_000, overwrite: true })).toEqual([9_000]);
  expect(wants({ per_model: true, gpt: { max_output_tokens: 7 }, other: { max_tokens: 8 } })).toEqual([7]);
  expect(wants({ generationConfig: { maxOutputTokens: 5 } })).toEqual([5]);
  expect(wants({ temperature: 1 })).toEqual([0]);
});

describe("a search that the provider does not count", () => {
  const usage = { input: 1, output: 2 };

  it("is counted once per response, and not where the provider counted it", () => {
    expect(withOneSearch(usage)).toEqual({ ...usage, toolCalls: { "web-search": 1 } });
    const counted = { ...usage, toolCalls: { "web-search": 3 } };
    expect(withOneSearch(counted)).toBe(counted);
  });
});

describe("marks for a prompt cache", () => {
  it("are possible on a channel of a provider with such a cache that allows them", () => {
    const marks = (part: Partial<Parameters<typeof channel>[0]>, model = "claude-sonnet-4-5") =>
      priceOptionsOf([channel({ id: 1, ...part })], model)[0]?.reserves.marks;
    expect(marks({ provider: anthropic })).toBe(true);
    expect(marks({ provider: anthropic, cacheMarks: false })).toBe(false);
    expect(marks({ provider: ali }, "qwen-plus")).toBe(true);
    expect(marks({ provider: ali }, "qwen-turbo")).toBe(false);
    expect(marks({ provider: openai }, "gpt-5")).toBe(false);
  });

  it("are reserved as a write of all input, unless the client's own are", () => {
    expect(withCacheWrites({ input: 10, output: 1 })).toEqual({ input: 10, output: 1, cacheWrite5m: 10 });
    const own = { input: 10, output: 1, cacheWrite1h: 10 };
    expect(withCacheWrites(own)).toBe(own);
  });
});
