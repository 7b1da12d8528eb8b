import { describe, expect, it } from "vitest";
import { filterOffers, offersOf, ownersOf, priceOf } from "./offers.ts";

const price = { type: "tokens", input: 1.25, output: 5, extra_ratios: {}, tiers: [] };
const offers = offersOf({
  "gpt-4o": { groups: ["default"], owned_by: "OpenAI", price },
  "claude-opus": { groups: ["vip"], owned_by: "Anthropic", price },
  unpriced: { groups: [], owned_by: "", price: null },
});

describe("the price list", () => {
  it("is in alphabetical order", () => {
    expect(offers.map((offer) => offer.model)).toEqual(["claude-opus", "gpt-4o", "unpriced"]);
  });

  it("finds by part of the name, by owner, and by what a group reaches", () => {
    const all = { keyword: "", owner: "", group: "vip", reachable: false };
    expect(filterOffers(offers, { ...all, keyword: "GPT" })).toHaveLength(1);
    expect(filterOffers(offers, { ...all, owner: "Anthropic" })[0]?.model).toBe("claude-opus");
    expect(filterOffers(offers, { ...all, reachable: true })[0]?.model).toBe("claude-opus");
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
