import { defaultSettings } from "@gateway/shared/site/settings";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { invalidRequest } from "#errors.ts";
import type { Database } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";
import { listPriceUpdates, updatePricesIfDue } from "./price-updates.ts";
import type { SavePrice } from "./prices.ts";
import { savePrice } from "./prices.ts";

let database: Database;

beforeAll(async () => {
  database = await openTestDatabase({ max: 4 });
});
afterAll(async () => {
  await database.close();
});

const price = (model: string, input: string, locked = false): SavePrice => ({
  model,
  type: "tokens",
  channelType: 0,
  input,
  output: input,
  extras: {},
  tiers: [],
  locked,
});

const settings = {
  ...defaultSettings,
  PriceUpdateEnabled: true,
  PriceUpdateHours: 6,
  PriceUpdateMode: "overwrite",
} as const;
const at = (hour: number) => new Date(Date.UTC(2026, 10, 21, hour, 23));
const list = (prices: SavePrice[]) => () => Promise.resolve(prices);

describe("scheduled price update", () => {
  it("runs when it is enabled and due, keeps locked rows and reports the changes", async () => {
    const { db } = database;
    await savePrice(db, price("kept-model", "9", true));
    await savePrice(db, price("old-model", "1"));
    await savePrice(db, price("moved-model", "1"));
    const wanted = list([price("moved-model", "2"), price("new-model", "3"), price("kept-model", "1")]);
    expect(
      await updatePricesIfDue(db, { ...settings, PriceUpdateEnabled: false }, wanted, at(0)),
    ).toBeUndefined();
    expect(await updatePricesIfDue(db, settings, wanted, at(0))).toMatchObject({
      mode: "overwrite",
      error: "",
      added: ["new-model"],
      changed: ["moved-model"],
      removed: ["old-model"],
      locked: ["kept-model"],
    });
    const rows = await db.price.findMany({ orderBy: { model: "asc" } });
    expect(rows.map((row) => [row.model, row.input.toNumber()])).toEqual([
      ["kept-model", 9],
      ["moved-model", 2],
      ["new-model", 3],
    ]);
    expect(await updatePricesIfDue(db, settings, wanted, at(5))).toBeUndefined();
    expect(await updatePricesIfDue(db, settings, wanted, at(6))).toMatchObject({ added: [], changed: [] });
  });

  it("records why a list is missing, changes nothing, and retries when it is due", async () => {
    const { db } = database;
    const before = await db.price.count();
    const down = () => Promise.reject(invalidRequest({ reason: "price_list_not_answered" }));
    expect(await updatePricesIfDue(db, settings, down, at(12))).toMatchObject({
      error: "The address did not return a price list.",
      removed: [],
    });
    expect(await updatePricesIfDue(db, settings, list([]), at(18))).toMatchObject({
      error: "The price list is empty.",
    });
    expect(await db.price.count()).toBe(before);
    expect((await listPriceUpdates(db, 10)).map((update) => update.error === "")).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  it("runs immediately when the last run is in the future, because the clock was wrong", async () => {
    const wanted = list([price("moved-model", "2")]);
    expect(await updatePricesIfDue(database.db, settings, wanted, at(3))).toMatchObject({ error: "" });
    expect(await updatePricesIfDue(database.db, settings, wanted, at(4))).toBeUndefined();
  });
});
