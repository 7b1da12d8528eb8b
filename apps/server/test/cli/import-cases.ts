/** Imports of the same difficult rows from each database system. */
import pg from "pg";
import { expect } from "vitest";
import { newApiColumns } from "#migration/products/new-api/columns.ts";
import { oneApiColumns } from "#migration/products/one-api/columns.ts";
import { oneHubColumns } from "#migration/products/one-hub/columns.ts";
import type { ImportReport } from "#migration/report.ts";
import { openSource } from "#migration/sources/open-source.ts";
import { installedDatabase } from "#test/database.ts";
import type { Mariadb } from "#test/mariadb.ts";
import { cli } from "./cli.ts";
import { type DifficultProduct, difficultRows } from "./difficult-rows.ts";
import { type ForeignDatabase, foreignDatabase } from "./foreign-database.ts";

export type SourceKind = "sqlite" | "postgres" | "mariadb";
const columns = { "one-hub": oneHubColumns, "new-api": newApiColumns, "one-api": oneApiColumns };

/** What the tests of a file have made. `removeAll` after each test. */
const made: (() => Promise<unknown>)[] = [];
export async function removeAll(): Promise<void> {
  for (const remove of made.splice(0)) await remove();
}

/** Remembers to remove this after the test. */
export const removeLater = (...removes: (() => Promise<unknown>)[]) => void made.push(...removes);

export async function source(
  kind: SourceKind,
  product: DifficultProduct,
  mariadb?: Mariadb,
): Promise<ForeignDatabase> {
  const database = await foreignDatabase(kind, columns[product], difficultRows(product), mariadb);
  removeLater(database.remove);
  return database;
}

/** Everything that clients and balances depend on. */
const looks = {
  users: `SELECT id, username, email, display_name, role, status, "group", quota::text, used_quota::text, inviter_id,
            deleted_at IS NOT NULL AS deleted, password_hash IS NOT NULL AS password, access_token_hash IS NOT NULL AS access FROM users ORDER BY id`,
  tokens: `SELECT id, user_id, name, status, expired_time, unlimited_quota, remain_quota::text, used_quota::text, "group", setting,
             encode(key_hash, 'hex') AS key, deleted_at FROM tokens ORDER BY id`,
  channels: `SELECT c.id, type, c.status, c.status_reason, name, base_url, other, priority, weight, used_quota::text, balance::text,
               model_mapping, (SELECT array_agg(model ORDER BY position) FROM channel_models m WHERE m.channel_id = c.id) AS models,
               (SELECT array_agg("group" ORDER BY "group") FROM channel_groups g WHERE g.channel_id = c.id) AS groups,
               (SELECT count(*)::int FROM channel_keys k WHERE k.channel_id = c.id) AS keys FROM channels c ORDER BY c.id`,
  groups: `SELECT symbol, name, ratio::text, enable, public FROM user_groups ORDER BY symbol`,
  prices: `SELECT model, type, input::text, output::text FROM prices ORDER BY model`,
  usage: `SELECT user_id, token_id, model, sum(quota)::text AS quota FROM usage_hours GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
  ledger: `SELECT user_id, amount::text, reference FROM ledger_entries ORDER BY user_id`,
  codes: `SELECT id, quota::text, status, name FROM redemptions ORDER BY id`,
  logs: `SELECT user_id, type, content, quota::text, prompt_tokens::text, is_stream FROM request_logs ORDER BY type, user_id`,
};

export async function contents(url: string): Promise<Record<string, unknown[]>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const found: Record<string, unknown[]> = {};
    for (const [name, sql] of Object.entries(looks)) found[name] = (await client.query<object>(sql)).rows;
    return found;
  } finally {
    await client.end();
  }
}

async function imported(kind: SourceKind, product: DifficultProduct, mariadb?: Mariadb) {
  const from = await source(kind, product, mariadb);
  await from.run("ALTER TABLE users ADD COLUMN legacy_flag int; CREATE TABLE plugin_notes (id int)");
  const target = await installedDatabase();
  removeLater(target.drop);
  const args = ["import", product, "--from", from.from, "--yes", "--json"];
  const run = await cli(target.url, ...args, "--logs", "30");
  expect(run.exitCode, run.err + run.out).toBe(0);
  const report = run.json() as ImportReport;
  expect(report.unknown).toEqual(
    expect.arrayContaining([
      { table: "users", columns: ["legacy_flag"] },
      { table: "plugin_notes", columns: [] },
    ]),
  );
  expect(report.proof).toMatchObject({ balances_different: 0, audit_drift: "0", keys_failed: [] });
  expect(report.totals.users_quota.here).toBe(report.totals.users_quota.source);
  for (const [thing, { read, imported: taken, skipped }] of Object.entries(report.counts))
    expect([thing, taken + skipped]).toEqual([thing, read]);

  const first = await contents(target.url);
  const again = await cli(target.url, ...args);
  expect(again).toMatchObject({ exitCode: 0, out: expect.stringContaining("already_imported") });
  expect(await contents(target.url)).toEqual(first);
  const notes = report.notes.map(({ code, count, level }) => ({ code, count, level }));
  return { contents: first, notes, counts: report.counts, report };
}

/** Expects that these database systems give the same as SQLite, and that SQLite gives what is right. */
export async function expectSameImports(
  product: DifficultProduct,
  kinds: readonly SourceKind[],
  mariadb?: Mariadb,
): Promise<void> {
  const reference = await imported("sqlite", product);
  expect(reference.contents["users"]).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: 2, quota: "-12498" }),
      expect.objectContaining({ id: 5, deleted: true, quota: "77" }),
      expect.objectContaining({ id: 8, quota: "9007199254740991" }),
      expect.objectContaining({ id: 9, username: "表情 😀", group: "g-2" }),
      expect.objectContaining({ id: 4, email: null }),
      expect.objectContaining({ id: 16, quota: "0", group: "default" }),
      expect.objectContaining({
        id: 20,
        username: "Late-Name-20",
        email: null,
        deleted: true,
        access: false,
      }),
      expect.objectContaining({ id: 21, username: "late-name", email: "late@example.test" }),
    ]),
  );
  for (const kind of kinds) {
    const other = await imported(kind, product, mariadb);
    expect(other.contents, kind).toEqual(reference.contents);
    expect(other.notes, kind).toEqual(reference.notes);
    expect(other.counts, kind).toEqual(reference.counts);
  }
}

/** Expects that a source is read as of one instant, and is not locked for others, except in SQLite. */
export async function expectOneInstant(kind: SourceKind, mariadb?: Mariadb): Promise<void> {
  const from = await source(kind, "one-api", mariadb);
  const opened = await openSource(from.from);
  const change = from.run("UPDATE users SET quota = 5; DELETE FROM tokens");
  // Without a write-ahead log SQLite lets no one write while it is read.
  if (kind === "sqlite") await expect(change).rejects.toThrow("locked");
  else await change;
  const quotas = [];
  for await (const row of opened.rows({ table: "users", orderBy: "id" })) quotas.push(String(row["quota"]));
  expect(quotas.slice(0, 2)).toEqual(["500000000000000", "-12498"]);
  let keys = 0;
  for await (const row of opened.rows({ table: "tokens" })) {
    keys += Object.keys(row).length > 0 ? 1 : 0;
    // Leaving a result early does not block the next one.
    if (keys === 3) break;
  }
  for await (const row of opened.rows({ table: "users", equals: { column: "id", value: 8 } }))
    expect(String(row["quota"])).toBe("9007199254740991");
  await opened.close();
}
