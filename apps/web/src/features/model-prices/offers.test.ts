import { describe, expect, it } from "vitest";
import { countFacet, filterOffers, offersOf, type OfferFilter, priceOf, sortOffers } from "./offers.ts";
import { noFilters } from "./price-params.ts";

const price = {
  model: "gpt-4o",
  type: "tokens",
  channel_type: 1,
  locked: false,
  input: 1.25,
  output: 5,
  extra_ratios: {},
  tiers: [],
};
const info = {
  name: "Opus",
  description: "For long agent runs.",
  context_length: 1,
  max_tokens: 1,
  input_modalities: ["text", "image"],
  output_modalities: ["text"],
  tags: ["coding"],
  support_url: [],
};
const offers = offersOf({
  "gpt-4o": { groups: ["default"], owned_by: "OpenAI", price, info: null, rank: 2 },
  "claude-opus": { groups: ["vip"], owned_by: "Anthropic", price, info, rank: 1 },
  unpriced: { groups: [], owned_by: "", price: null, info: null, rank: null },
});

describe("the price list", () => {
  const all: OfferFilter = { ...noFilters, group: "" };
  const names = (list: { model: string }[]) => list.map(({ model }) => model);

  it("is sorted in the requested order, with missing values last", () => {
    const by = (sorting: "usage" | "price" | "context" | "name") => names(sortOffers([...offers], sorting));
    expect(by("name")).toEqual(["claude-opus", "gpt-4o", "unpriced"]);
    expect(by("usage")).toEqual(["claude-opus", "gpt-4o", "unpriced"]);
    expect(by("price").at(-1)).toBe("unpriced");
    expect(by("context")[0]).toBe("claude-opus");
  });

  it("is filtered by part of the name, owner, tag, description, and by the models of a group", () => {
    const found = (filter: Partial<typeof all>) => names(filterOffers(offers, { ...all, ...filter }));
    expect(found({ keyword: "GPT" })).toEqual(["gpt-4o"]);
    expect(found({ owner: "Anthropic" })).toEqual(["claude-opus"]);
    expect(found({ group: "vip" })).toEqual(["claude-opus"]);
    expect(found({ keyword: "agent" })).toEqual(["claude-opus"]);
    expect(found({ tag: "coding" })).toEqual(["claude-opus"]);
    expect(found({ kind: "image" })).toEqual([]);
  });

  it("is filtered by input, context, input price in the group, cache and reasoning", () => {
    const cached = { ...price, extra_ratios: { cached_read_tokens: 0.1, reasoning_tokens: 1 } };
    const long = { ...info, context_length: 200_000, tags: ["Reasoning"] };
    const catalog = {
      plain: { groups: ["default"], owned_by: "", price, info: null, rank: null },
      cached: { groups: ["default"], owned_by: "", price: cached, info: null, rank: null },
      long: { groups: ["default"], owned_by: "", price: null, info: long, rank: null },
    };
    const found = (filter: Partial<typeof all>, groupRatio = 1) =>
      names(filterOffers(offersOf(catalog, groupRatio), { ...all, ...filter }));
    expect(found({ input: "image" })).toEqual(["long"]);
    expect(found({ context: "128000" })).toEqual(["long"]);
    expect(found({ context: "1000000" })).toEqual([]);
    // $2.50 per million input tokens, times the ratio of the group.
    expect(found({ price: "3" })).toEqual(["cached", "plain"]);
    expect(found({ price: "1" })).toEqual([]);
    expect(found({ price: "1" }, 0.4)).toEqual(["cached", "plain"]);
    expect(found({ cache: "yes" })).toEqual(["cached"]);
    expect(found({ reasoning: "yes" })).toEqual(["cached", "long"]);
    expect(countFacet(offersOf(catalog), all, "context").map(({ value }) => value)).toEqual([
      "32000",
      "128000",
      "200000",
    ]);
  });

  it("counts the results of each value, given the other filters", () => {
    expect(countFacet(offers, all, "owner")).toEqual([
      { value: "Anthropic", count: 1 },
      { value: "OpenAI", count: 1 },
    ]);
    const vip = { ...all, group: "vip", owner: "OpenAI" };
    expect(countFacet(offers, vip, "owner")).toEqual([
      { value: "Anthropic", count: 1 },
      { value: "OpenAI", count: 0 },
    ]);
    expect(countFacet(offers, vip, "kind")).toEqual([{ value: "chat", count: 0 }]);
  });

  it("shows dollars and yuan per million tokens, with the group's ratio", () => {
    const options = { unit: "M", freeWord: "Free", cnyPerUsd: 7 } as const;
    expect(priceOf({ type: "tokens" }, 1.25, 1, options)).toBe("$2.5 / ￥17.5");
    expect(priceOf({ type: "tokens" }, 1.25, 2, { ...options, cnyPerUsd: 8 })).toBe("$5 / ￥40");
    expect(priceOf({ type: "tokens" }, 0, 1, options)).toBe("Free");
  });

  it("does not scale the price of a call", () => {
    expect(priceOf({ type: "times" }, 20, 1, { unit: "M", freeWord: "Free", cnyPerUsd: 7 })).toBe(
      "$0.04 / ￥0.28",
    );
  });
});
