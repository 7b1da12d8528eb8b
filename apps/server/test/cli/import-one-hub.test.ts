import { afterEach, describe, expect, it } from "vitest";
import { audit } from "#domain/ledger/balances/audit.ts";
import { oneHubColumns } from "#migration/products/one-hub/columns.ts";
import type { ImportReport } from "#migration/report.ts";
import { connect } from "#platform/database/db.ts";
import type { TestDatabase } from "#test/database-copies.ts";
import { emptyDatabase, installedDatabase } from "#test/database.ts";
import { nightly } from "#test/nightly.ts";
import { cli } from "./cli.ts";
import { type ForeignDatabase, foreignDatabase, type Rows } from "./foreign-database.ts";
import { startImported } from "./imported-gateway.ts";
import { newerKey as newer, oldKey as old, oneHubRows } from "./one-hub-rows.ts";

const cases: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const remove of cases.splice(0)) await remove();
});

async function target(): Promise<TestDatabase> {
  const database = await installedDatabase();
  cases.push(() => database.drop());
  return database;
}

async function source(kind: "sqlite" | "postgres", change: (rows: Rows) => void = () => undefined) {
  const rows = await oneHubRows();
  change(rows);
  const made: ForeignDatabase = await foreignDatabase(kind, oneHubColumns, rows);
  cases.push(made.remove);
  return made;
}

const noteOf = (report: ImportReport, code: string) => report.notes.find((note) => note.code === code);

describe("gateway import one-hub", () => {
  for (const kind of ["sqlite", "postgres"] as const)
    it(`imports everything from ${kind} and verifies it`, nightly(kind === "postgres"), async () => {
      const from = await source(kind);
      await from.run("ALTER TABLE users ADD COLUMN legacy_flag text; CREATE TABLE plugin_notes (id int)");
      const { url } = await target();
      const run = await cli(url, "import", "one-hub", "--from", from.from, "--yes", "--json", "--logs", "60");
      expect(run.exitCode, run.err).toBe(0);
      const report = run.json() as ImportReport;
      expect(report).toMatchObject({
        ok: true,
        totals: { users_quota: { source: "5000002987502", here: "5000002987502" } },
        unknown: expect.arrayContaining([
          { table: "users", columns: ["legacy_flag"] },
          { table: "plugin_notes", columns: [] },
        ]),
        proof: {
          balances_different: 0,
          audit_drift: "0",
          keys_failed: [],
          charges_compared: 1,
          charges_different: [],
        },
        counts: { logs: { imported: 1 }, tokens: { read: 9, imported: 8, skipped: 1 } },
      });
      expect(noteOf(report, "model_unpriced")?.examples).toEqual(["gpt-z"]);
      expect(noteOf(report, "group_made")?.examples.sort()).toEqual(["lost", "nowhere"]);
      for (const code of [
        "second_root",
        "token_dead",
        "token_marked_over",
        "email_repeated",
        "inviter_gone",
        "usage_owner",
      ])
        expect(noteOf(report, code), code).toMatchObject({ count: 1 });

      const database = connect(url, { max: 2 });
      cases.push(() => database.close());
      const { db, pool } = database;
      expect((await audit(pool)).drift).toBe(0n);
      const [entry] = await db.ledgerEntry.findMany({ where: { user_id: 3 } });
      // The balance was 12,498 below zero after as much usage, so nothing was ever credited.
      expect(entry).toBeUndefined();
      expect(await db.user.findUnique({ where: { id: 2 } })).toMatchObject({
        quota: 5_000_000_000_000n,
        used_quota: 90_000n,
        group: "g-7",
        email: "anna@example.test",
      });
      expect(await db.channel.findUnique({ where: { id: 9 } })).toMatchObject({
        type: 8,
        status: 2,
        priority: 7,
      });
      expect(await db.channel.findUnique({ where: { id: 3 } })).toMatchObject({
        status: 1,
        priority: 0,
        weight: 1,
      });
      expect(Number((await db.price.findUniqueOrThrow({ where: { model: "gpt-x" } })).input)).toBe(1.25);
      expect(await db.order.findFirst()).toMatchObject({ status: "closed", gateway_no: null });
      expect(await db.import.count()).toBe(1);
      const { rows: analyzed } = await pool.query<{ name: string }>(
        "SELECT DISTINCT tablename AS name FROM pg_stats WHERE tablename IN ('users', 'tokens', 'usage_hours') ORDER BY 1",
      );
      expect(analyzed.map(({ name }) => name)).toEqual(["tokens", "usage_hours", "users"]);
      const log = await db.$queryRawUnsafe<{ content: string }[]>("SELECT content FROM request_logs");
      expect(log).toEqual([{ content: String.raw`no code \u0000 but text` }]);

      const gateway = await startImported(url);
      cases.unshift(() => gateway.stop());
      // The start adds no price for models that the old gateway did not price.
      expect(await db.price.count()).toBe(1);
      expect(await gateway.signIn("Анна 1", "correct horse")).toBe(true);
      expect(await gateway.signIn("Анна 1", "wrong horse")).toBe(false);
      expect((await db.user.findUniqueOrThrow({ where: { id: 2 } })).password_hash).toMatch(/^\$argon2id\$/);
      expect(await gateway.signIn("Анна 1", "correct horse")).toBe(true);
      expect(await gateway.own("0123456789abcdef0123456789abcdef")).toMatchObject({ status: 200 });
      const statuses: Record<string, number> = {};
      for (const key of [old, newer, ..."DEFGHI".split("").map((letter) => letter.repeat(48))])
        statuses[key.slice(0, 1)] = (await gateway.models(`sk-${key}`)).status;
      expect(statuses).toMatchObject({ A: 200, b: 200, D: 401, F: 401, G: 401, I: 401 });
      expect((await gateway.models(`sk-${"H".repeat(48)}`, "10.1.2.3")).status).toBe(200);
    });

  it("changes nothing in a dry run or in a second run", async () => {
    const from = await source("sqlite");
    const { url } = await target();
    const dry = await cli(url, "import", "one-hub", "--from", from.from, "--dry-run");
    expect(dry).toMatchObject({ exitCode: 0, out: expect.stringContaining("Dry run: nothing was changed.") });
    const database = connect(url, { max: 1 });
    cases.push(() => database.close());
    expect(await database.db.user.count()).toBe(0);
    expect(await database.db.userGroup.count()).toBe(3);
    expect((await cli(url, "import", "one-hub", "--from", from.from, "--yes")).exitCode).toBe(0);
    const before = await database.db.ledgerEntry.count();
    const again = await cli(url, "import", "one-hub", "--from", from.from, "--yes");
    expect(again).toMatchObject({ exitCode: 0, out: expect.stringContaining("Nothing was changed.") });
    expect(await database.db.ledgerEntry.count()).toBe(before);
  });

  it("needs no tables for a dry run, and leaves none", async () => {
    const from = await source("sqlite");
    const empty = await emptyDatabase();
    cases.push(() => empty.drop());
    const run = await cli(
      empty.url,
      "import",
      "one-hub",
      "--from",
      from.from,
      "--dry-run",
      "--json",
      "--logs",
      "60",
    );
    expect(run.exitCode, run.err).toBe(0);
    expect(run.json()).toMatchObject({ ok: true, dry_run: true, counts: { logs: { imported: 1 } } });
    const database = connect(empty.url, { max: 1 });
    cases.push(() => database.close());
    const { rows } = await database.pool.query(
      "SELECT 1 FROM pg_class WHERE relnamespace = 'public'::regnamespace",
    );
    expect(rows).toEqual([]);
  });

  it("stores the days of an imported log in partitions of their own", async () => {
    const from = await source("sqlite");
    const { url } = await target();
    const run = await cli(url, "import", "one-hub", "--from", from.from, "--yes", "--logs", "60");
    expect(run.exitCode, run.err).toBe(0);
    const database = connect(url, { max: 1 });
    cases.push(() => database.close());
    const { rows } = await database.pool.query<{ home: string }>(
      "SELECT tableoid::regclass::text AS home FROM request_logs",
    );
    expect(rows).toEqual([{ home: expect.stringMatching(/^request_logs_\d{8}$/) }]);
  });

  it("rejects invalid data before it writes anything, and reports what to do", async () => {
    const from = await source("sqlite");
    const { url } = await target();
    const refused = async (...args: string[]) => {
      const { exitCode, err } = await cli(url, "import", ...args);
      expect(exitCode).toBeGreaterThan(1);
      return err;
    };
    expect(await refused("one-hub", "--from", "/nowhere/one-api.db", "--yes")).toContain("does not exist");
    expect(await refused("one-hub", "--from", import.meta.filename, "--yes")).toContain(
      "not an SQLite database",
    );
    expect(await refused("one-hub", "--from", "postgres://a@127.0.0.1:1/b", "--yes")).toContain(
      "after --from",
    );
    expect(await refused("one-hub", "--from", url, "--yes")).toContain("is not a One Hub database");
    expect(await refused("one-hub", "--from", from.from)).toContain("--yes");
    expect(await refused("one-hub")).toContain("--from");
    const database = connect(url, { max: 1 });
    cases.push(() => database.close());
    await database.db.user.create({ data: { username: "someone", aff_code: "x" } });
    expect(await refused("one-hub", "--from", from.from, "--yes")).toContain("is not empty: it has users");
  });

  it.each([
    ["quota", "NaN"],
    ["quota", 1e21],
    ["quota", "12 345"],
    ["quota", "0x10"],
    ["aff_quota", "NaN"],
  ])("refuses %s with the value %s, and writes nothing", async (column, value) => {
    const from = await source("sqlite", (rows) => (rows["users"]![1]![column] = value));
    const { url } = await target();
    const run = await cli(url, "import", "one-hub", "--from", from.from, "--yes");
    expect(run).toMatchObject({
      exitCode: 3,
      err: expect.stringContaining(`in ${column}, which is not a number`),
    });
    const database = connect(url, { max: 1 });
    cases.push(() => database.close());
    expect(await database.db.user.count()).toBe(0);
  });

  it("takes over texts with characters that Postgres does not store, and dates beyond its calendar", async () => {
    const from = await source("sqlite", (rows) => {
      for (const [table, column] of [
        ["users", "email"],
        ["channels", "models"],
        ["model_info", "description"],
        ["tasks", "task_id"],
        ["prices", "model"],
      ] as const)
        for (const row of rows[table] ?? [])
          if (typeof row[column] === "string") row[column] = `a\0b${row[column]}`;
      const [channel] = rows["channels"] ?? [];
      Object.assign(channel ?? {}, {
        model_mapping: '{"a\\u0000":"b\\ud800"}',
        balance: 1e300,
        test_model: "a\0b",
      });
      rows["users"]?.push({
        id: 90,
        username: "early",
        deleted_at: "-000001-01-01",
        quota: 0,
        aff_code: "a90",
      });
      rows["users"]?.push({
        id: 91,
        username: "late",
        deleted_at: "+275760-09-13 00:00:00",
        quota: 0,
        aff_code: "a91",
      });
      rows["statistics"]?.push({ ...rows["statistics"][0], date: "+275760-09-13" });
    });
    const { url } = await target();
    const run = await cli(url, "import", "one-hub", "--from", from.from, "--yes", "--json");
    expect(run.exitCode, run.err + run.out).toBe(0);
    const database = connect(url, { max: 1 });
    cases.push(() => database.close());
    const { db } = database;
    expect(await db.user.count({ where: { id: { in: [90, 91] }, deleted_at: { not: null } } })).toBe(2);
    const [channel] = await db.channel.findMany({ orderBy: { id: "asc" } });
    expect(channel).toMatchObject({ model_mapping: { a: "b\ufffd" }, test_model: "ab" });
    expect(Number(channel?.balance)).toBe(0);
  });

  it("names the kind of a row that the database rejects, and writes nothing", async () => {
    const from = await source("sqlite", (rows) => {
      rows["channels"]?.push({ ...rows["channels"][0] });
    });
    const { url } = await target();
    const { exitCode, err } = await cli(url, "import", "one-hub", "--from", from.from, "--yes");
    expect(exitCode).toBeGreaterThan(1);
    expect(err).toMatch(/rejects a row of channels: .*Nothing was changed/);
    const database = connect(url, { max: 1 });
    cases.push(() => database.close());
    expect(await database.db.user.count()).toBe(0);
  });
});
