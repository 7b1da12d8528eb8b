import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { newApiColumns } from "#migration/products/new-api-columns.ts";
import { oneApiColumns } from "#migration/products/one-api-columns.ts";
import { oneHubColumns } from "#migration/products/one-hub-columns.ts";
import type { ImportReport } from "#migration/report.ts";
import { openSource } from "#migration/sources/open-source.ts";
import { root } from "#platform/places.ts";
import { installedDatabase } from "#test/database.ts";
import { testSecretKey } from "#test/gateway.ts";
import { type Mariadb, mariadbMissing, startMariadb } from "#test/mariadb.ts";
import { cli } from "./cli.ts";
import { type DifficultProduct, difficultRows } from "./difficult-rows.ts";
import { type ForeignDatabase, foreignDatabase } from "./foreign-database.ts";

/** Sources in each database system, with the same difficult rows: what arrives here is the same. */

const missing = mariadbMissing();
if (missing !== undefined) console.warn(`MariaDB sources are not tested: ${missing}`);
const kinds = ["sqlite", "postgres", ...(missing === undefined ? (["mariadb"] as const) : [])] as const;
const columns = { "one-hub": oneHubColumns, "new-api": newApiColumns, "one-api": oneApiColumns };

let mariadb: Mariadb | undefined;
const cases: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  if (missing === undefined) mariadb = await startMariadb();
});
afterAll(async () => mariadb?.stop());
afterEach(async () => {
  for (const remove of cases.splice(0)) await remove();
});

async function source(kind: (typeof kinds)[number], product: DifficultProduct): Promise<ForeignDatabase> {
  const made = await foreignDatabase(kind, columns[product], difficultRows(product), mariadb);
  cases.push(made.remove);
  return made;
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

async function contents(url: string): Promise<Record<string, unknown[]>> {
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

async function imported(kind: (typeof kinds)[number], product: DifficultProduct) {
  const from = await source(kind, product);
  await from.run("ALTER TABLE users ADD COLUMN legacy_flag int; CREATE TABLE plugin_notes (id int)");
  const target = await installedDatabase();
  cases.push(target.drop);
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

describe.each(["one-hub", "new-api", "one-api"] as const)("gateway import %s", (product) => {
  it("takes over the same from every database system", { timeout: 180_000 }, async () => {
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
    for (const kind of kinds.slice(1)) {
      const other = await imported(kind, product);
      expect(other.contents, kind).toEqual(reference.contents);
      expect(other.notes, kind).toEqual(reference.notes);
      expect(other.counts, kind).toEqual(reference.counts);
    }
  });
});

describe.each(kinds)("a source in %s", (kind) => {
  it("is read as of one instant, and cannot be written", async () => {
    const from = await source(kind, "one-api");
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
  });
});

describe("an import that is killed", () => {
  it("leaves nothing behind, and the next one takes over everything", { timeout: 120_000 }, async () => {
    const made = difficultRows("new-api");
    const users = made["users"] ?? [];
    const more = Array.from({ length: 600 }, (_, index) => ({
      ...users[1],
      id: 1_000 + index,
      username: `n${index}`,
      aff_code: `n${index}`,
    }));
    const from = await foreignDatabase("sqlite", newApiColumns, { ...made, users: [...users, ...more] });
    const target = await installedDatabase();
    cases.push(from.remove, target.drop);
    const args = ["import", "new-api", "--from", from.from, "--yes"];
    const child = spawn(process.execPath, [join(root, "apps/server/src/cli/main.ts"), ...args], {
      env: {
        PATH: process.env["PATH"],
        NODE_ENV: "test",
        DATABASE_URL: target.url,
        SECRET_KEY: testSecretKey,
        DATA_DIR: tmpdir(),
      },
      stdio: ["ignore", "ignore", "pipe"],
    });
    const ended = new Promise((resolve) => child.once("exit", (_code, signal) => resolve(signal)));
    for await (const line of createInterface({ input: child.stderr }))
      if (line.startsWith("users: ")) {
        child.kill("SIGKILL");
        break;
      }
    expect(await ended).toBe("SIGKILL");
    // The next run waits until the database has noticed.
    const again = await cli(target.url, ...args, "--json");
    expect(again.exitCode, again.err).toBe(0);
    expect(again.json()).toMatchObject({ ok: true, counts: { users: { imported: 600 + users.length } } });
    expect(again.json()).not.toHaveProperty("already_imported");
  });
});

describe.runIf(missing === undefined)("a source in MariaDB", () => {
  it("keeps accounts deleted whose date of deletion is zero", async () => {
    const from = await source("mariadb", "new-api");
    await from.run("UPDATE users SET deleted_at = '0000-00-00 00:00:00' WHERE id = 6");
    const target = await installedDatabase();
    cases.push(target.drop);
    const run = await cli(target.url, "import", "new-api", "--from", from.from, "--yes", "--json");
    expect(run.exitCode, run.err).toBe(0);
    const { users } = await contents(target.url);
    expect(users).toContainEqual(expect.objectContaining({ id: 6, deleted: true }));
  });

  it("can have the character set of three bytes, where emoji are question marks", async () => {
    const from = await source("mariadb", "new-api");
    await from.run(
      ["users", "tokens", "channels", "options"]
        .map((table) => `ALTER TABLE ${table} CONVERT TO CHARACTER SET utf8mb3`)
        .join("; "),
    );
    const target = await installedDatabase();
    cases.push(target.drop);
    const run = await cli(target.url, "import", "new-api", "--from", from.from, "--yes", "--json");
    expect(run.exitCode, run.err + run.out).toBe(0);
    const { users } = await contents(target.url);
    expect(users).toContainEqual(expect.objectContaining({ id: 9, username: "表情 ?" }));
  });

  it("is refused with the next step when it cannot be read", async () => {
    const target = await installedDatabase();
    cases.push(target.drop);
    const address = await mariadb?.database();
    const refused = await cli(target.url, "import", "one-hub", "--from", address ?? "", "--yes");
    expect(refused).toMatchObject({ exitCode: 3, err: expect.stringContaining("is not a One Hub database") });
    const wrong = await cli(target.url, "import", "one-hub", "--from", "mysql://a:b@127.0.0.1:1/c", "--yes");
    expect(wrong).toMatchObject({ exitCode: 3, err: expect.stringContaining("after --from") });
    expect(wrong.err).not.toContain("a:b");
  });
});
