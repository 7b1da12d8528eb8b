import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openSource } from "#migration/sources/open-source.ts";
import { installedDatabase } from "#test/database.ts";
import { type Mariadb, mariadbMissing, startMariadb } from "#test/mariadb.ts";
import { cli } from "./cli.ts";
import { closeComparison, expectSameCalls, ids, openComparison } from "./compared-calls.ts";
import {
  contents,
  expectOneInstant,
  expectSameImports,
  removeAll,
  removeLater,
  source,
} from "./import-cases.ts";

/** Sources in MariaDB: imports and comparisons give the same as from SQLite and Postgres. */
let mariadb: Mariadb;

beforeAll(async () => {
  const missing = mariadbMissing();
  if (missing !== undefined) throw new Error(missing);
  mariadb = await startMariadb();
  await openComparison();
});
afterEach(removeAll);
afterAll(async () => {
  await mariadb.stop();
  await closeComparison();
});

describe.each(["one-hub", "new-api", "one-api"] as const)("gateway import %s", (product) => {
  it("takes over the same from every database system", () =>
    expectSameImports(product, ["postgres", "mariadb"], mariadb));
});

describe("gateway compare, from MariaDB", () => {
  it.each(ids)("reads the log of %s", (id) => expectSameCalls("mariadb", id, mariadb));
});

describe("a source in MariaDB", () => {
  it("is read as of one instant, and cannot be written", () => expectOneInstant("mariadb", mariadb));

  it("can have the address of the Go programs for MySQL", async () => {
    const from = await source("mariadb", "one-api", mariadb);
    const { username, password, host, pathname } = new URL(from.from);
    const address = `${username}:${decodeURIComponent(password)}@tcp(${host})${pathname}?parseTime=true`;
    const opened = await openSource(password === "" ? address.replace(":@", "@") : address);
    expect(opened.columns.has("users")).toBe(true);
    await opened.close();
  });

  it("keeps accounts deleted whose date of deletion is zero", async () => {
    const from = await source("mariadb", "new-api", mariadb);
    await from.run("UPDATE users SET deleted_at = '0000-00-00 00:00:00' WHERE id = 6");
    const target = await installedDatabase();
    removeLater(target.drop);
    const run = await cli(target.url, "import", "new-api", "--from", from.from, "--yes", "--json");
    expect(run.exitCode, run.err).toBe(0);
    const { users } = await contents(target.url);
    expect(users).toContainEqual(expect.objectContaining({ id: 6, deleted: true }));
  });

  it("can have the character set of three bytes, where emoji are question marks", async () => {
    const from = await source("mariadb", "new-api", mariadb);
    await from.run(
      ["users", "tokens", "channels", "options"]
        .map((table) => `ALTER TABLE ${table} CONVERT TO CHARACTER SET utf8mb3`)
        .join("; "),
    );
    const target = await installedDatabase();
    removeLater(target.drop);
    const run = await cli(target.url, "import", "new-api", "--from", from.from, "--yes", "--json");
    expect(run.exitCode, run.err + run.out).toBe(0);
    const { users } = await contents(target.url);
    expect(users).toContainEqual(expect.objectContaining({ id: 9, username: "表情 ?" }));
  });

  it("is refused with the next step when it cannot be read", async () => {
    const target = await installedDatabase();
    removeLater(target.drop);
    const address = await mariadb.database();
    const refused = await cli(target.url, "import", "one-hub", "--from", address, "--yes");
    expect(refused).toMatchObject({ exitCode: 3, err: expect.stringContaining("is not a One Hub database") });
    const wrong = await cli(target.url, "import", "one-hub", "--from", "mysql://a:b@127.0.0.1:1/c", "--yes");
    expect(wrong).toMatchObject({ exitCode: 3, err: expect.stringContaining("after --from") });
    expect(wrong.err).not.toContain("a:b");
  });
});
