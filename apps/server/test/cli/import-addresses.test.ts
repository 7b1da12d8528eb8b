/** Forms of `--from`, and what a wrong one leaves behind: nothing. */
import pg from "pg";
import { afterEach, describe, expect, it } from "vitest";
import { newApiColumns } from "#migration/products/new-api/columns.ts";
import { oneApiColumns } from "#migration/products/one-api/columns.ts";
import { openSource } from "#migration/sources/open-source.ts";
import { emptyDatabase, installedDatabase } from "#test/database.ts";
import { cli } from "./cli.ts";
import { difficultRows } from "./difficult-rows.ts";
import { foreignDatabase } from "./foreign-database.ts";

const cases: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const remove of cases.splice(0)) await remove();
});

async function tablesOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ count: string }>(
    "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'public'",
  );
  await client.end();
  return Number(rows[0]?.count);
}

describe("the address of a source", () => {
  it("can name the schema, and the error of a schema without tables names the one that has them", async () => {
    const from = await foreignDatabase("postgres", oneApiColumns, difficultRows("one-api"));
    cases.push(from.remove);
    await from.run('CREATE SCHEMA "Old-Gateway"');
    for (const table of Object.keys(oneApiColumns))
      await from.run(`ALTER TABLE "${table}" SET SCHEMA "Old-Gateway"`);
    await expect(openSource(from.from)).rejects.toThrow("There are tables in: Old-Gateway");
    for (const option of ["schema", "search_path"]) {
      const url = new URL(from.from);
      url.searchParams.set(option, "Old-Gateway");
      const source = await openSource(url.href);
      expect([...source.columns.keys()].sort()).toEqual(Object.keys(oneApiColumns).sort());
      let users = 0;
      for await (const row of source.rows({ table: "users" })) users += row["id"] === null ? 0 : 1;
      expect(users).toBe(difficultRows("one-api")["users"]?.length);
      await source.close();
    }
  });

  it("is explained if it has another form", async () => {
    await expect(openSource("host=127.0.0.1 user=a dbname=b")).rejects.toThrow("write host=… user=…");
    await expect(openSource("redis://127.0.0.1/0")).rejects.toThrow("--from takes the path");
  });
});

describe("a table or column that an older version did not have", () => {
  it("has no rows, and does not fail the import", async () => {
    const { logs: _logs, redemptions: _codes, quota_data: _usage, ...columns } = newApiColumns;
    const { logs: _log, redemptions: _code, ...rows } = difficultRows("new-api");
    const from = await foreignDatabase(
      "sqlite",
      { ...columns, users: columns.users.replace(" created_at last_login_at", "") },
      rows,
    );
    const target = await installedDatabase();
    cases.push(from.remove, target.drop);
    const run = await cli(
      target.url,
      "import",
      "new-api",
      "--from",
      from.from,
      "--yes",
      "--json",
      "--logs",
      "9",
    );
    expect(run.exitCode, run.err + run.out).toBe(0);
    expect(run.json()).toMatchObject({ ok: true, proof: { balances_different: 0, audit_drift: "0" } });
  });
});

describe("what is wrong before an import", () => {
  it("leaves an empty database empty", async () => {
    const from = await foreignDatabase("sqlite", oneApiColumns, difficultRows("one-api"));
    const target = await emptyDatabase();
    cases.push(from.remove, target.drop);
    for (const args of [
      ["one-hub", "--from", from.from, "--yes"],
      ["one-api", "--from", "postgres://a@127.0.0.1:1/b", "--yes"],
      ["one-api", "--from", from.from],
      ["one-api", "--from", from.from, "--yes", "--prices", "/nowhere.json"],
    ]) {
      expect((await cli(target.url, "import", ...args)).exitCode, args.join(" ")).toBeGreaterThan(1);
      expect(await tablesOf(target.url), args.join(" ")).toBe(0);
    }
    const done = await cli(target.url, "import", "one-api", "--from", from.from, "--yes", "--json");
    expect(done.exitCode, done.err).toBe(0);
  });
});
