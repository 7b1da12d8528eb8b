import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";

const files = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".sql"),
);

let database: Database;
let client: pg.Client;

beforeAll(async () => {
  database = await openTestDatabase({ max: 1 });
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  // Tables of an import, which exist in its transaction only.
  await client.query("CREATE TEMP TABLE opening_users (id int, balance bigint, used bigint)");
  await client.query("CREATE TEMP TABLE opening_tokens (id int, user_id int, used bigint)");
});
afterAll(async () => {
  await client.end();
  await database.close();
});

describe("the ledger's statements", () => {
  it("have names of their own, because the bundle has one folder for all", () => {
    expect(new Set(files.map((file) => basename(file))).size).toBe(files.length);
  });

  it.each(files.filter((file) => !file.endsWith("probe-disk-space.sql")))(
    "can be prepared as it is: %s",
    async (file) => {
      const text = readFileSync(join(import.meta.dirname, file), "utf8");
      await client.query(`PREPARE statement AS ${text}`);
      await client.query("DEALLOCATE statement");
    },
  );
});
