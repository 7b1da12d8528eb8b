import { mkdtemp, open, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ImportRefusal } from "#migration/refusal.ts";
import { openSource } from "./open-source.ts";

/** Files that are damaged, or made to harm who reads them. */
let folder: string;
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sqlite-"));
});
afterAll(() => rm(folder, { recursive: true }));

function made(sql: string): string {
  const path = join(folder, `${(files += 1)}.db`);
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
  return path;
}

/** Reads all rows of a table; the refusal where that is impossible. */
async function read(path: string, table = "options") {
  try {
    const source = await openSource(path);
    try {
      const rows = [];
      for await (const row of source.rows({ table })) rows.push(row);
      return { rows, count: await source.count(table), columns: source.columns.get(table) };
    } finally {
      await source.close();
    }
  } catch (error) {
    expect(error).toBeInstanceOf(ImportRefusal);
    return (error as ImportRefusal).facts;
  }
}

const unreadable = { reason: "source_file_unreadable" };
const filled = `CREATE TABLE options (key text, value text);
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
  INSERT INTO options SELECT 'k' || i, hex(randomblob(40)) FROM n`;

describe("a file that cannot be read in full is refused", () => {
  it("when its end is missing", async () => {
    const path = made(filled);
    await truncate(path, 100_000);
    expect(await read(path)).toMatchObject(unreadable);
  });

  it("when a page in the middle is damaged", async () => {
    const path = made(filled);
    const handle = await open(path, "r+");
    await handle.write(Buffer.alloc(4096, 0xff), 0, 4096, 20 * 4096);
    await handle.close();
    expect(await read(path)).toMatchObject(unreadable);
  });

  it("when its schema is not SQL", async () => {
    const path = made("CREATE TABLE options (key text, value text)");
    const database = new DatabaseSync(path, { defensive: false });
    database.exec("PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE NONSENSE'");
    database.close();
    expect(await read(path)).toMatchObject(unreadable);
  });

  it("when a text is longer than any gateway writes", async () => {
    const path = made(
      "CREATE TABLE options (key text, value blob); INSERT INTO options VALUES ('k', zeroblob(300000000))",
    );
    expect(await read(path)).toMatchObject({ ...unreadable, detail: expect.stringContaining("too big") });
  });

  it("when a column is computed at each reading", async () => {
    const path = made(
      `CREATE TABLE options (key text, value text GENERATED ALWAYS AS (hex(zeroblob(400000000))) VIRTUAL);
       INSERT INTO options (key) VALUES ('k')`,
    );
    expect(await read(path)).toMatchObject(unreadable);
  });
});

it("reads tables, and runs neither triggers nor views", async () => {
  const path = made(
    `CREATE TABLE options (key text, value text);
     INSERT INTO options VALUES ('k', 'v');
     CREATE TRIGGER again AFTER INSERT ON options BEGIN INSERT INTO options VALUES ('more', 'more'); END;
     CREATE VIEW users AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id FROM n`,
  );
  expect(await read(path)).toMatchObject({ rows: [{ key: "k", value: "v" }], count: 1 });
  expect(await read(path, "users")).toMatchObject(unreadable);
});
