import { describe, expect, it } from "vitest";
import { filterOffers, modalitiesOf, offersOf, ownersOf, priceOf, tagsOf } from "./offers.ts";

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
  "gpt-4o": { groups: ["default"], owned_by: "OpenAI", price, info: null },
  "claude-opus": { groups: ["vip"], owned_by: "Anthropic", price, info },
  unpriced: { groups: [], owned_by: "", price: null, info: null },
});

describe("the price list", () => {
  it("is in alphabetical order", () => {
    expect(offers.map((offer) => offer.model)).toEqual(["claude-opus", "gpt-4o", "unpriced"]);
  });

  it("finds by part of the name, by owner, and by what a group reaches", () => {
    const all = { keyword: "", owner: "", tag: "", modality: "", group: "vip", reachable: false };
    expect(filterOffers(offers, { ...all, keyword: "GPT" })).toHaveLength(1);
    expect(filterOffers(offers, { ...all, owner: "Anthropic" })[0]?.model).toBe("claude-opus");
    expect(filterOffers(offers, { ...all, reachable: true })[0]?.model).toBe("claude-opus");
  });

  it("finds by what the catalogue says: description, tag, and what goes in or comes out", () => {
    const all = { keyword: "", owner: "", tag: "", modality: "", group: "vip", reachable: false };
    const found = (filter: Partial<typeof all>) =>
      filterOffers(offers, { ...all, ...filter }).map((offer) => offer.model);
    expect(found({ keyword: "agent" })).toEqual(["claude-opus"]);
    expect(found({ tag: "coding" })).toEqual(["claude-opus"]);
    expect(found({ modality: "image" })).toEqual(["claude-opus"]);
    expect(found({ modality: "audio" })).toEqual([]);
    expect(tagsOf(offers)).toEqual(["coding"]);
    expect(modalitiesOf(offers)).toEqual(["image", "text"]);
  });

  it("counts the models of each maker", () => {
    expect(ownersOf([...offers, ...offers.slice(1, 2)])).toEqual([
      { name: "OpenAI", count: 2 },
      { name: "Anthropic", count: 1 },
    ]);
  });

  it("shows dollars and yuan per million tokens, with the group's ratio", () => {
    const options = { unit: "M", freeWord: "Free" } as const;
    expect(priceOf({ type: "tokens" }, 1.25, 1, options)).toBe("$2.5 / ￥17.5");
    expect(priceOf({ type: "tokens" }, 1.25, 2, { ...options, usdOnly: true })).toBe("$5");
    expect(priceOf({ type: "tokens" }, 0, 1, options)).toBe("Free");
  });

  it("never multiplies the price of a call", () => {
    expect(priceOf({ type: "times" }, 20, 1, { unit: "M", freeWord: "Free", usdOnly: true })).toBe("$0.04");
  });
});
