import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { connect, type Database } from "#platform/database/db.ts";
import type { TestDatabase } from "#test/database-copies.ts";
import { freshDatabase } from "#test/database.ts";
import { previewPrices, readPriceList, syncPrices } from "./price-sync.ts";
import { savePrice } from "./prices.ts";

const homes: TestDatabase[] = [];
let database: Database;

beforeEach(async () => {
  const home = await freshDatabase();
  homes.push(home);
  await database?.close();
  database = connect(home.url, { max: 4 });
  for (const [model, locked] of [
    ["kept", false],
    ["stale", false],
    ["guarded", true],
    ["guarded-too", true],
  ] as const) {
    await savePrice(database.db, {
      model,
      locked,
      type: "tokens",
      channelType: 1,
      input: "1",
      output: "2",
      extras: { cached_tokens: "0.5" },
      tiers: [],
    });
  }
});

afterAll(async () => {
  await database.close();
  for (const home of homes) await home.drop();
});

const row = (model: string, input: number) => ({
  model,
  type: "tokens",
  channel_type: 1,
  input,
  output: 2,
  extra_ratios: { cached_tokens: 0.5 },
});

const list = () => readPriceList({ data: [row("kept", 1), row("guarded", 7), row("new", 0.0000001)] });

async function inputs(): Promise<Record<string, string>> {
  const rows = await database.db.price.findMany({ orderBy: { model: "asc" } });
  return Object.fromEntries(rows.map((price) => [price.model, price.input.toFixed()]));
}

describe("price list import", () => {
  it("adds missing prices", async () => {
    await syncPrices(database.db, list(), "add");
    expect(await inputs()).toEqual({
      guarded: "1",
      "guarded-too": "1",
      kept: "1",
      new: "0.0000001",
      stale: "1",
    });
  });

  it("updates existing prices, except locked ones", async () => {
    const changed = readPriceList([row("kept", 3), row("guarded", 7), row("new", 1)]);
    const done = await syncPrices(database.db, changed, "update", 5);
    expect(done).toMatchObject({ added: [], changed: [{ after: { model: "kept" } }], locked: ["guarded"] });
    expect(await inputs()).toEqual({ guarded: "1", "guarded-too": "1", kept: "3", stale: "1" });
    expect(await database.db.priceVersion.count({ where: { model: "kept" } })).toBe(2);
  });

  it("overwrites all prices, except locked ones", async () => {
    const preview = await previewPrices(database.db, list(), "overwrite");
    expect(preview.removed.map((price) => price.model)).toEqual(["stale"]);
    expect(preview.changed).toEqual([]);
    expect(await syncPrices(database.db, list(), "overwrite")).toEqual(preview);
    expect(await inputs()).toEqual({ guarded: "1", "guarded-too": "1", kept: "1", new: "0.0000001" });
    expect(await previewPrices(database.db, list(), "overwrite")).toMatchObject({
      added: [],
      changed: [],
      removed: [],
    });
  });

  it.each<[string, unknown]>([
    ["a page", "<html>"],
    ["nothing", null],
    ["a negative ratio", [row("a", -1)]],
    ["text for a number", [{ ...row("a", 1), input: "1" }]],
    ["a model named twice", [row("a", 1), row("a", 2)]],
    ["a wildcard in the middle", [row("a*b", 1)]],
    ["an unknown type", [{ ...row("a", 1), type: "free" }]],
    ["an endless number", [{ ...row("a", 1), input: Number.POSITIVE_INFINITY }]],
  ])("is refused when it is %s", (_, body) => {
    expect(() => readPriceList(body)).toThrow();
  });
});

describe("a price list of wrong values", () => {
  it("is refused before most of its values are checked: a fault takes as long as a hundred values to parse", () => {
    let checked = 0;
    const tier = {
      get above() {
        checked += 1;
        return "wrong";
      },
      input: 1,
      output: 1,
    };
    const tiers = Array.from({ length: 4_950 }, () => tier);
    const list = Array.from({ length: 20 }, () => ({
      model: "m",
      type: "tokens",
      input: 1,
      output: 1,
      tiers,
    }));
    expect(() => readPriceList(list)).toThrow("price list");
    expect(checked).toBeGreaterThan(0);
    expect(checked).toBeLessThan(99_000 / 20);
  });
});
