import { afterAll, beforeAll, expect, it } from "vitest";
import { loadTable } from "#domain/pricing/prices.ts";
import { findPrice } from "#domain/pricing/pricing.ts";
import { buildConsole, type TestConsole } from "#test/console.ts";
import { type Row, type Script, scriptOf } from "./script.fixture.ts";

let site: TestConsole;
let admin: Script;

beforeAll(async () => {
  site = await buildConsole();
  admin = await scriptOf(site, await site.makeUser({ role: 10 }));
});
afterAll(() => site.close());

async function prices(): Promise<Map<string, Row>> {
  const { data } = await admin.get<Row[]>("/prices");
  return new Map(data.map((row) => [String(row["model"]), row]));
}

it("prices: a new one may omit its numbers and have an unknown owner", async () => {
  const body = { model: "free-model", type: "tokens", channel_type: 0 };
  expect(await admin.send("POST", "/prices/single", body)).toMatchObject({ sent: 200, success: true });
  expect((await prices()).get("free-model")).toMatchObject({ input: 0, output: 0, channel_type: 0 });
  expect(await admin.send("POST", "/prices/single", body)).toMatchObject({ sent: 200, success: false });
});

it("prices: a row can be written back with one field changed, and keeps fields that are not sent", async () => {
  const made = { model: "row", type: "tokens", channel_type: 1, input: 2, output: 3 };
  await admin.send("POST", "/prices/single", { ...made, extra_ratios: { cached_tokens: 0.5 }, locked: true });
  const row = (await prices()).get("row");
  expect(await admin.send("PUT", "/prices/single/row", { ...row, output: 4 })).toMatchObject({
    success: true,
  });
  expect(await admin.send("PUT", "/prices/single/row", { input: 5 })).toMatchObject({ success: true });
  expect((await prices()).get("row")).toMatchObject({
    input: 5,
    output: 4,
    locked: true,
    extra_ratios: { cached_tokens: 0.5 },
  });
});

it("prices: a group changes names that already have a price, and deletes no others", async () => {
  const price = { type: "tokens", channel_type: 1, input: 7, output: 8 };
  const body = { original_models: [], models: ["row", "new-in-group", "row"], price };
  expect(await admin.send("POST", "/prices/multiple", body)).toMatchObject({ success: true });
  const all = await prices();
  for (const model of ["row", "new-in-group"]) expect(all.get(model)).toMatchObject({ input: 7, output: 8 });
  expect(all.has("free-model")).toBe(true);
});

it("prices: deleting none, or unknown ones, is a success", async () => {
  for (const models of [[], ["never-there"]])
    expect(await admin.send("PUT", "/prices/multiple/delete", { models })).toMatchObject({
      sent: 200,
      success: true,
    });
});

it("prices: a negative row in the database is listed, but never used", async () => {
  await site.database.pool.query("ALTER TABLE prices DROP CONSTRAINT prices_not_negative");
  await site.services.db.price.updateMany({ where: { model: "row" }, data: { input: "-4" } });
  expect((await prices()).get("row")).toMatchObject({ input: -4 });
  expect((await admin.get("/available_model")).success).toBe(true);
  expect(findPrice(await loadTable(site.services.db), "row")).toBeUndefined();
});
