import { afterAll, beforeAll, expect, it } from "vitest";
import { freshDatabase } from "#test/database.ts";
import { connect, type Database } from "./db.ts";
import { isUpgradeOver } from "./upgrades.ts";

const migration = "20261128140500_log_facts";
let place: Awaited<ReturnType<typeof freshDatabase>>;
let database: Database;
beforeAll(async () => {
  place = await freshDatabase();
  database = connect(place.url);
});
afterAll(async () => {
  await database.close();
  await place.drop();
});

it("an upgrade is over a week after its migration, and not before", async () => {
  expect(await isUpgradeOver(database.pool, migration)).toBe(false);
  await database.pool.query(
    "UPDATE _prisma_migrations SET finished_at = now() - interval '8 days' WHERE migration_name = $1",
    [migration],
  );
  expect(await isUpgradeOver(database.pool, migration)).toBe(true);
  expect(await isUpgradeOver(database.pool, "20261128140500_another")).toBe(false);
});
