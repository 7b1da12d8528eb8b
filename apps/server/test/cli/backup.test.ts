import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { audit } from "#domain/ledger/balances/audit.ts";
import { explainCall } from "#domain/pricing/explain.ts";
import { replay } from "#domain/pricing/replay.ts";
import { connect, type Database } from "#platform/database/db.ts";
import { emptyDatabase } from "#test/database.ts";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { cli, shellVariables } from "./cli.ts";

/** A gateway with calls, its backups, and databases into which they are restored. */
let gateway: TestGateway;
let folder: string;
const copies: { database: Database; drop(): Promise<void> }[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "backup-"));
  gateway = await startTestGateway();
  await gateway.addChannel({ type: 8, name: "provider" });
});
afterAll(async () => {
  for (const { database, drop } of copies) {
    await database.close();
    await drop();
  }
  await gateway.stop();
  await rm(folder, { recursive: true });
});

async function emptyCopy(): Promise<Database> {
  const { url, drop } = await emptyDatabase();
  const database = connect(url);
  copies.push({ database, drop });
  return database;
}

async function call(key: string): Promise<void> {
  await gateway.openai(key).chat.completions.create({
    model: "demo-chat",
    messages: [{ role: "user", content: "Tab\there\n\\. and ü" }],
  });
}

/**
 * Content of every table, as a hash; rows in any order. Without the record of a backup, which is written when the backup
 * is complete.
 */
async function contentOf({ pool }: Database): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
       AND relname <> 'backup_records' ORDER BY 1`,
  );
  const content: Record<string, string> = {};
  for (const { name } of rows) {
    const { rows: lines } = await pool.query<{ line: string }>(`SELECT t::text AS line FROM "${name}" t`);
    content[name] = createHash("sha256")
      .update(
        lines
          .map(({ line }) => line)
          .sort()
          .join("\n"),
      )
      .digest("hex");
  }
  return content;
}

it("a backup taken during calls is of one moment: its balances agree with their books", async () => {
  const { key } = await gateway.addToken();
  const calls = Promise.all(Array.from({ length: 60 }, () => call(key)));
  const during = join(folder, "during");
  expect(await cli(gateway.database.url, "backup", "--to", during)).toMatchObject({ exitCode: 0 });
  await calls;
  const copy = await emptyCopy();
  const restored = await cli(copy.url, "restore", "--from", during, "--yes");
  expect(restored).toMatchObject({ exitCode: 0, out: expect.stringContaining("drift 0") });
  expect((await audit(copy.pool)).drift).toBe(0n);
  expect(await gateway.drift()).toBe(0n);
});

it("a restored database has every row, continues its ids, and explains a call's bill as before", async () => {
  const { key } = await gateway.addToken();
  for (let index = 0; index < 3; index += 1) await call(key);
  const [log] = await gateway.logs();
  const before = await explainCall(gateway.database.pool, log!.request_id);
  const place = join(folder, "whole");
  shellVariables["BACKUP_PASSPHRASE"] = "eight words of a list";
  const made = await cli(gateway.database.url, "backup", "--to", place, "--json");
  expect(made.json()).toMatchObject({ isEncrypted: true, removed: [] });
  const copy = await emptyCopy();
  expect(await cli(copy.url, "restore", "--from", place, "--yes")).toMatchObject({ exitCode: 0 });
  delete shellVariables["BACKUP_PASSPHRASE"];

  // No gateway writes to the copy, so a copy of it is equal.
  const second = await emptyCopy();
  await cli(copy.url, "backup", "--to", join(folder, "second"));
  await cli(second.url, "restore", "--from", join(folder, "second"), "--yes");
  const content = await contentOf(copy);
  expect(await contentOf(second)).toEqual(content);
  expect(Object.keys(content).length).toBeGreaterThan(60);
  expect(await explainCall(copy.pool, log!.request_id)).toEqual(before);
  expect((await replay(copy.pool, new Date(0), new Date(Date.now() + 60_000))).differences).toEqual([]);
  const newest = "SELECT max(id) AS id FROM users";
  const { rows } = await copy.pool.query<{ id: number }>(newest);
  const next = await copy.pool.query<{ next: bigint }>("SELECT nextval('users_id_seq') AS next");
  expect(next.rows[0]!.next).toBeGreaterThan(BigInt(rows[0]!.id));
  expect((await cli(copy.url, "migrate")).out).toContain("up to date");
});

describe("a restore is refused, and changes nothing,", () => {
  let place: string;
  let file: string;
  let target: Database;
  beforeAll(async () => {
    place = join(folder, "refused");
    shellVariables["BACKUP_PASSPHRASE"] = "eight words of a list";
    await cli(gateway.database.url, "backup", "--to", place);
    delete shellVariables["BACKUP_PASSPHRASE"];
    file = join(place, (await readdir(place))[0]!);
    target = await emptyCopy();
  });

  async function refused(...args: string[]): Promise<string> {
    const { exitCode, err } = await cli(target.url, "restore", "--yes", "--from", ...args);
    expect(exitCode).not.toBe(0);
    expect(Object.keys(await contentOf(target))).toEqual([]);
    return `${exitCode} ${err}`;
  }

  it("without the passphrase, or with a wrong one", async () => {
    expect(await refused(file)).toMatch(/^3 .*is encrypted/s);
    const wrong = join(folder, "wrong");
    await writeFile(wrong, "another passphrase\n");
    expect(await refused(file, "--passphrase-file", wrong)).toMatch(/^3 The passphrase does not open/);
  });

  it("of a file that was cut or changed", async () => {
    const right = join(folder, "right");
    await writeFile(right, "eight words of a list\n");
    const whole = await readFile(file);
    const cut = join(folder, "gateway-20260101T000000Z.gz.age");
    await writeFile(cut, whole.subarray(0, whole.length - 1_000));
    expect(await refused(cut, "--passphrase-file", right)).toMatch(/^1 .*incomplete or damaged/s);
    const changed = Buffer.from(whole);
    changed[whole.length >> 1]! ^= 1;
    await writeFile(cut, changed);
    expect(await refused(cut, "--passphrase-file", right)).toMatch(/^1 .*incomplete or damaged/s);
    await writeFile(cut, "something else that is not a backup at all");
    expect(await refused(cut)).toMatch(/^3 .*not a backup/s);
  });

  it("from a place without backups", async () => {
    expect(await refused(join(folder, "nowhere"))).toMatch(/^3 There is no backup/);
    expect(await refused(join(place, "gateway-20200101T000000Z.gz"))).toMatch(/^3 There is no file/);
  });

  it("while a gateway uses the database", async () => {
    const { exitCode, err } = await cli(
      gateway.database.url,
      "restore",
      "--from",
      file,
      "--yes",
      "--replace",
    );
    expect([exitCode, err]).toEqual([3, expect.stringContaining("1 gateways use the database")]);
  });
});

it("a database with data is replaced only with an option", async () => {
  const place = join(folder, "replace");
  await cli(gateway.database.url, "backup", "--to", place);
  const target = await emptyCopy();
  await cli(target.url, "restore", "--from", place, "--yes");
  await target.pool.query("UPDATE nodes SET heartbeat = now() - interval '1 hour'");
  const again = ["restore", "--from", place, "--yes"];
  expect(await cli(target.url, ...again)).toMatchObject({
    exitCode: 3,
    err: expect.stringContaining("not empty"),
  });
  await target.pool.query("UPDATE users SET quota = quota + 1 WHERE id = 1");
  expect(await cli(target.url, ...again, "--replace")).toMatchObject({ exitCode: 0 });
  expect((await audit(target.pool)).drift).toBe(0n);
});

it("a backup whose balances differ from their ledger entries is restored only with an option", async () => {
  const source = await emptyCopy();
  const place = join(folder, "drift");
  await cli(gateway.database.url, "backup", "--to", place);
  await cli(source.url, "restore", "--from", place, "--yes");
  await source.pool.query("UPDATE users SET quota = quota + 5 WHERE id = 1");
  const drifting = join(folder, "drifting");
  await cli(source.url, "backup", "--to", drifting);
  const target = await emptyCopy();
  const args = ["restore", "--from", drifting, "--yes"];
  expect(await cli(target.url, ...args)).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining("by 5 points"),
  });
  expect(Object.keys(await contentOf(target))).toEqual([]);
  expect(await cli(target.url, ...args, "--accept-drift")).toMatchObject({ exitCode: 0 });
});
