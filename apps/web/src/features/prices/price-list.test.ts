import type { PriceRow } from "@gateway/shared/billing/price";
import { describe, expect, it } from "vitest";
import { differencesOf, filterPrices, groupPrices, modelsWithoutPrice, sortPrices } from "./price-list.ts";

function price(model: string, over: Partial<PriceRow> = {}): PriceRow {
  return {
    model,
    type: "tokens",
    channel_type: 1,
    input: 1,
    output: 4,
    locked: false,
    extra_ratios: {},
    tiers: [],
    version_id: 1,
    updated_time: 1,
    ...over,
  };
}

const rows = [
  price("gpt-a"),
  price("gpt-b", { extra_ratios: { x: 1, y: 2 } }),
  price("gpt-c", { extra_ratios: { y: 2, x: 1 } }),
  price("claude-*", { channel_type: 14, input: 3, locked: true }),
  price("painter", { type: "times", input: 20 }),
];
const names = (found: readonly PriceRow[]) => found.map((row) => row.model);
const all = { keyword: "", owner: 0, type: "", locked: "" };
const ownerName = (id: number) => (id === 14 ? "Anthropic" : "OpenAI");

describe("the list of prices", () => {
  it("is filtered by name or owner, type and lock", () => {
    expect(names(filterPrices(rows, { ...all, keyword: "GPT" }, ownerName))).toHaveLength(3);
    expect(names(filterPrices(rows, { ...all, keyword: "anthro" }, ownerName))).toEqual(["claude-*"]);
    expect(names(filterPrices(rows, { ...all, owner: 14 }, ownerName))).toEqual(["claude-*"]);
    expect(names(filterPrices(rows, { ...all, type: "times" }, ownerName))).toEqual(["painter"]);
    expect(names(filterPrices(rows, { ...all, locked: "yes" }, ownerName))).toEqual(["claude-*"]);
  });

  it("is sorted by a column, in both directions", () => {
    expect(names(sortPrices(rows, "-input"))[0]).toBe("painter");
    expect(names(sortPrices(rows, "model"))[0]).toBe("claude-*");
    expect(names(sortPrices(rows, ""))).toEqual(names(rows));
  });

  it("groups models with the same price, regardless of the order of their extras", () => {
    expect(groupPrices(rows).map((group) => group.models)).toEqual([
      ["gpt-a"],
      ["gpt-b", "gpt-c"],
      ["claude-*"],
      ["painter"],
    ]);
  });

  it("finds models without a price of their own or of a wildcard", () => {
    expect(modelsWithoutPrice(["gpt-a", "claude-x", "gpt-*", "new"], rows)).toEqual(["new"]);
  });

  it("lists the changes of an update", () => {
    const after = price("gpt-a", { output: 5, extra_ratios: { z: 0.1 } });
    expect(differencesOf(price("gpt-a"), after)).toEqual([
      { field: "output", before: "4", after: "5" },
      { field: "z", before: "–", after: "0.1" },
    ]);
  });
});
