import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemActor } from "#domain/audit-log/audit.ts";
import { listen } from "#platform/announcements.ts";
import type { Database } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";
import { deletePrices } from "./edit-prices.ts";
import priceList from "./price-list.json" with { type: "json" };
import { checkPrice, createPrices, type SavePrice, savePrice } from "./prices.ts";
import { computeBill, findPrice } from "./pricing.ts";
import { listedPrices, seedPrices } from "./seed-prices.ts";

let database: Database;

beforeAll(async () => {
  database = await openTestDatabase({ max: 6 });
});

afterAll(async () => {
  await database.close();
});

function priceOf(model: string, over: Partial<SavePrice> = {}): SavePrice {
  return {
    model,
    type: "tokens",
    channelType: 1,
    input: "1.25",
    output: "5",
    extras: { cached_tokens: "0.1", "tool:web-search": "0.0000000001" },
    tiers: [{ above: 1000, input: "2.5", output: "10" }],
    locked: false,
    ...over,
  };
}

describe("price list", () => {
  it("is current on every node after its notification", async () => {
    const prices = await createPrices(database.db);
    const news = await listen(database.url, () => {});
    news.on("prices", () => void prices.reload());
    expect(findPrice(prices.table(), "mine")).toBeUndefined();
    const saved = await savePrice(database.db, priceOf("mine"));
    await expect.poll(() => findPrice(prices.table(), "mine")).toEqual(saved);
    expect(saved).toMatchObject({
      input: "1.25",
      extras: { cached_tokens: "0.1", "tool:web-search": "0.0000000001" },
      tiers: [{ above: 1000, input: "2.5", output: "10" }],
    });
    await deletePrices(database.db, systemActor, ["mine"]);
    await expect.poll(() => findPrice(prices.table(), "mine")).toBeUndefined();
    await expect(deletePrices(database.db, systemActor, ["mine"])).rejects.toMatchObject({
      code: "not_found",
    });
    await news.close();
  });

  it("keeps every version of a price", async () => {
    const first = await savePrice(database.db, priceOf("edited"), 7);
    const second = await savePrice(database.db, priceOf("edited", { input: "2", extras: {}, tiers: [] }));
    expect(second.versionId).toBeGreaterThan(first.versionId);
    expect(second).toMatchObject({ input: "2", extras: {}, tiers: [] });
    const versions = await database.db.priceVersion.findMany({
      where: { model: "edited" },
      orderBy: { id: "asc" },
    });
    expect(versions).toMatchObject([
      { id: first.versionId, created_by: 7, snapshot: { input: "1.25", extras: { cached_tokens: "0.1" } } },
      { id: second.versionId, created_by: null, snapshot: { input: "2" } },
    ]);
  });

  it.each<[string, Partial<SavePrice>]>([
    ["a negative ratio", { input: "-1" }],
    ["an endless ratio", { output: "0.12345678901" }],
    ["a huge ratio", { input: "1000000001" }],
    ["no number", { input: "NaN" }],
    ["a wildcard in the middle", { model: "gpt-*-mini" }],
    ["no name", { model: "" }],
    ["spaces around the name", { model: " gpt" }],
    ["a negative extra", { extras: { cached_tokens: "-0.1" } }],
    ["an extra without a name", { extras: { "": "1" } }],
    ["a tier at nothing", { tiers: [{ above: 0, input: "1", output: "1" }] }],
    [
      "two tiers at one threshold",
      {
        tiers: [
          { above: 5, input: "1", output: "1" },
          { above: 5, input: "2", output: "1" },
        ],
      },
    ],
  ])("refuses %s and stores nothing", async (_, over) => {
    const bad = priceOf("bad", over);
    await expect(savePrice(database.db, bad)).rejects.toMatchObject({ code: "invalid_request" });
    expect(await database.db.price.count({ where: { model: bad.model } })).toBe(0);
  });
});

describe("prices of a new installation", () => {
  it("are well formed, unique and dated", () => {
    const listed = listedPrices();
    for (const price of listed) checkPrice(price);
    expect(new Set(listed.map((price) => price.model)).size).toBe(listed.length);
    expect(listed.length).toBeGreaterThan(120);
    for (const provider of priceList.providers) {
      expect(provider.date).toMatch(/^\d{4}-\d\d-\d\d$/);
      expect(provider.source).toMatch(
        /^https:\/\/|^Unverified: |^This project's own choice: |^The built-in demo /,
      );
    }
  });

  it("are added once, and not again after an operator removed or changed them", async () => {
    const added = await Promise.all([seedPrices(database.db), seedPrices(database.db)]);
    expect(added.sort((a, b) => a - b)).toEqual([0, listedPrices().length]);
    await deletePrices(database.db, systemActor, ["gpt-4.1"]);
    await savePrice(database.db, priceOf("gpt-4o", { input: "9" }));
    expect(await seedPrices(database.db)).toBe(0);
    const table = (await createPrices(database.db)).table();
    expect(findPrice(table, "gpt-4.1")).toBeUndefined();
    expect(findPrice(table, "gpt-4o")?.input).toBe("9");
    expect(findPrice(table, "demo-anything")?.model).toBe("demo-*");
  });

  it.each([
    // $1.25 and $10 per million, cached $0.125
    [
      "gpt-5.1",
      { input: 1_000_000, output: 100_000, cacheRead: 600_000 },
      0.4 * 1.25 + 0.6 * 0.125 + 0.1 * 10,
    ],
    // $3 and $15 per million, cached $0.30, written $3.75 and $6
    [
      "claude-sonnet-4-6",
      { input: 1_000_000, output: 100_000, cacheRead: 500_000, cacheWrite5m: 200_000, cacheWrite1h: 100_000 },
      0.2 * 3 + 0.5 * 0.3 + 0.2 * 3.75 + 0.1 * 6 + 0.1 * 15,
    ],
    // above 200,000 tokens $2.5 and $15 per million
    ["gemini-2.5-pro", { input: 1_000_000, output: 100_000 }, 2.5 + 1.5],
    ["gemini-2.5-flash", { input: 1_000_000, output: 0, audioInput: 1_000_000 }, 1],
    ["gpt-4o-audio-preview", { input: 0, output: 1_000_000, audioOutput: 1_000_000 }, 80],
    // $32 and $64 per million audio tokens
    ["gpt-audio", { input: 1_000_000, output: 1_000_000, audioInput: 1_000_000, audioOutput: 1_000_000 }, 96],
    // above 100,000 tokens $0.5 and $2.5 per million, cached $0.05, written $0.625
    [
      "claude-haiku-5-5",
      { input: 1_000_000, output: 100_000, cacheRead: 500_000, cacheWrite5m: 200_000 },
      0.3 * 0.5 + 0.5 * 0.05 + 0.2 * 0.625 + 0.1 * 2.5,
    ],
    // $2 and $6 below 200,000 tokens, double from there on
    ["grok-4.7", { input: 199_999, output: 0 }, 0.399998],
    ["grok-4.7", { input: 200_000, output: 100_000 }, 0.8 + 1.2],
    // peak hours: $0.30 and $1.20 per million, cached $0.006
    ["deepseek-flash", { input: 1_000_000, output: 100_000, cacheRead: 500_000 }, 0.15 + 0.003 + 0.12],
    // a minute at $0.006, counted as 600 tokens
    ["whisper-1", { input: 600, output: 0, audioInput: 600 }, 0.006],
    ["grok-imagine-image-2.0", { input: 0, output: 0 }, 0.04],
    ["mj_imagine", { input: 0, output: 0 }, 0.1],
  ])("match the provider's published price: %s", async (model, usage, dollars) => {
    const table = (await createPrices(database.db)).table();
    const { points } = computeBill(findPrice(table, model)!, "1", usage);
    expect(Number(points)).toBe(Math.ceil(Number((dollars * 500_000).toFixed(4))));
  });
});
