import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { migrate } from "#platform/database/migrate.ts";
import type { TestDatabase } from "#test/database-copies.ts";
import { asciiDatabase, emptyDatabase, freshDatabase } from "#test/database.ts";
import { differenceToSchema } from "#test/schema-diff.ts";

describe("the migrations of this repository", () => {
  it("produce exactly the database that prisma/schema describes", async () => {
    const database = await freshDatabase();
    expect(await differenceToSchema(database.url)).toBe("");
    await database.drop();
  });

  it("differ from the schema when a column is missing", async () => {
    const database = await freshDatabase();
    await run(database.url, "ALTER TABLE users DROP COLUMN display_name");
    expect(await differenceToSchema(database.url)).toContain('"display_name"');
    await database.drop();
  });
});

describe("migrate", () => {
  let database: TestDatabase;
  let folder: string;

  beforeEach(async () => {
    database = await emptyDatabase();
    folder = await mkdtemp(join(tmpdir(), "gateway-migrations-"));
    await write("1_pears", "CREATE TABLE pears (id INT PRIMARY KEY); INSERT INTO pears VALUES (1);");
    await write("2_plums", "CREATE TABLE plums (id INT PRIMARY KEY);");
  });

  afterEach(async () => {
    await database.drop();
    await rm(folder, { recursive: true });
  });

  async function write(name: string, sql: string) {
    await mkdir(join(folder, name), { recursive: true });
    await writeFile(join(folder, name, "migration.sql"), sql);
  }

  it("applies missing migrations once, in name order", async () => {
    expect(await migrate(database.url, folder)).toEqual({ applied: ["1_pears", "2_plums"] });
    expect(await migrate(database.url, folder)).toEqual({ applied: [] });
    await write("3_figs", "CREATE TABLE figs (id INT PRIMARY KEY);");
    expect(await migrate(database.url, folder)).toEqual({ applied: ["3_figs"] });
  });

  it("rejects a database that is not UTF-8, with the command that creates one, and leaves it empty", async () => {
    const ascii = await asciiDatabase();
    await expect(migrate(ascii.url, folder)).rejects.toThrow(
      "The database has the encoding SQL_ASCII, and the gateway needs UTF8. " +
        "Create it with: CREATE DATABASE gateway TEMPLATE template0 ENCODING 'UTF8'.",
    );
    await run(ascii.url, "CREATE TABLE _prisma_migrations (id INT); CREATE TABLE pears (id INT)");
    await ascii.drop();
  });

  it("accepts a pool and returns its connection", async () => {
    const pool = new pg.Pool({ connectionString: database.url, max: 1 });
    // A pool ends before its connections do, and the database is dropped in between.
    pool.on("error", () => {});
    expect((await migrate(pool, folder)).applied).toHaveLength(2);
    expect((await migrate(pool, folder)).applied).toHaveLength(0);
    await pool.end();
  });

  it("maintains Prisma's table of migrations", async () => {
    await migrate(database.url, folder);
    const rows = await run(database.url, "SELECT * FROM _prisma_migrations ORDER BY migration_name");
    expect(rows).toMatchObject([
      { migration_name: "1_pears", applied_steps_count: 1, logs: null, rolled_back_at: null },
      { migration_name: "2_plums", applied_steps_count: 1, logs: null, rolled_back_at: null },
    ]);
    expect(rows[0]?.checksum).toMatch(/^[0-9a-f]{64}$/);
    expect(rows[0]?.finished_at).toBeInstanceOf(Date);
  });

  it("runs one at a time on nodes that start together", async () => {
    const nodes = Array.from({ length: 8 }, () => migrate(database.url, folder));
    const applied = (await Promise.all(nodes)).map((result) => result.applied.length);
    expect(applied.toSorted((a, b) => a - b)).toEqual([0, 0, 0, 0, 0, 0, 0, 2]);
    expect(await run(database.url, "SELECT * FROM pears")).toEqual([{ id: 1 }]);
  });

  it("undoes a migration that fails halfway and keeps the previous ones", async () => {
    await write("2_plums", "CREATE TABLE plums (id INT); SELECT nothing FROM nowhere;");
    await expect(migrate(database.url, folder)).rejects.toThrow(
      /2_plums failed and was rolled back: .*nowhere/,
    );
    expect(await run(database.url, "SELECT to_regclass('plums') AS plums")).toEqual([{ plums: null }]);
    await write("2_plums", "CREATE TABLE plums (id INT);");
    expect(await migrate(database.url, folder)).toEqual({ applied: ["2_plums"] });
  });

  it("stops when an applied migration was edited", async () => {
    await migrate(database.url, folder);
    await write("1_pears", "CREATE TABLE pears (id BIGINT PRIMARY KEY);");
    await expect(migrate(database.url, folder)).rejects.toThrow(
      /1_pears was changed after it had been applied/,
    );
  });

  it("stops when Prisma recorded a failed migration, until it is marked as rolled back", async () => {
    await migrate(database.url, folder);
    await run(
      database.url,
      "UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = '2_plums'",
    );
    await expect(migrate(database.url, folder)).rejects.toThrow(/2_plums failed halfway/);
    await run(database.url, "UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL");
    await run(database.url, "DROP TABLE plums");
    expect(await migrate(database.url, folder)).toEqual({ applied: ["2_plums"] });
  });
});

async function run(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const result = await client.query(sql);
  await client.end();
  return result.rows;
}
