import { afterAll, beforeAll, expect, it } from "vitest";
import { buildConsole, type TestConsole } from "#test/console.ts";
import type { JobServices } from "./job.ts";
import { watchPrices } from "./watch-prices.ts";

let site: TestConsole;
beforeAll(async () => {
  site = await buildConsole();
});
afterAll(() => site.close());

it("models without a price are reported once, and again when they change", async () => {
  const { db, pool } = site.database;
  const add = (name: string, models: string[]) =>
    db.channel.create({
      data: { type: 1, name, models: { create: models.map((model) => ({ model })) } },
    });
  const run = () => watchPrices.run({ db, pool } as unknown as JobServices);
  await add("New", ["unpriced-1", "unpriced-2"]);
  await run();
  await run();
  expect(await db.inboxEntry.findMany()).toMatchObject([
    { event: "models-unpriced", count: 1, facts: { count: "2", models: "unpriced-1, unpriced-2" } },
  ]);
  await add("Newer", ["unpriced-3"]);
  await run();
  expect(await db.inboxEntry.count()).toBe(2);
});
