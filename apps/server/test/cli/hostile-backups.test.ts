import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip, gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { audit } from "#domain/ledger/balances/audit.ts";
import { connect, type Database } from "#platform/database/db.ts";
import { emptyDatabase, installedDatabase } from "#test/database.ts";
import { cli } from "./cli.ts";

/** Backups that were changed by someone who knows their format, with checksums that fit. */
let folder: string;
/** The parts of a backup that is right. */
let right: Dump;
let target: Database;
const ends: (() => Promise<unknown>)[] = [];

interface Section {
  table: string;
  columns: string[];
  rows: string[];
}

interface Dump {
  header: { version: string; migrations: object[]; partitions: string[]; [name: string]: unknown };
  sections: Section[];
  sequences: { name: string; last: string }[];
}

function parseDump(text: string): Dump {
  const lines = text.split("\n");
  const header = JSON.parse(lines.shift() ?? "") as Dump["header"];
  const sections: Section[] = [];
  for (;;) {
    const line = JSON.parse(lines.shift() ?? "") as Section & Pick<Dump, "sequences">;
    if ("sequences" in line) return { header, sections, sequences: line.sequences };
    const { table, columns } = line;
    sections.push({ table, columns, rows: lines.splice(0, lines.indexOf("\\.")) });
    lines.shift();
  }
}

/** Returns the text of a dump with the right checksums. */
function formatDump({ header, sections, sequences }: Dump): string {
  const contents = sections.map(({ rows }) => rows.map((row) => `${row}\n`).join(""));
  const tables = sections.map(({ table, rows }, index) => ({
    table,
    rows: rows.length,
    sha256: createHash("sha256")
      .update(contents[index] ?? "")
      .digest("hex"),
  }));
  return [
    JSON.stringify(header),
    ...sections.map(
      ({ table, columns }, index) => `${JSON.stringify({ table, columns })}\n${contents[index]}\\.`,
    ),
    JSON.stringify({ tables, sequences }),
    "",
  ].join("\n");
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hostile-backups-"));
  const source = await installedDatabase();
  ends.push(source.drop);
  const { db, close } = connect(source.url, { max: 1 });
  await db.user.create({
    data: {
      username: "owner",
      aff_code: "owner",
      tokens: {
        create: { name: "t", key_hash: Buffer.from("h"), key_encrypted: Buffer.from("e"), key_hint: "sk-…" },
      },
    },
  });
  await close();
  await cli(source.url, "backup", "--to", join(folder, "right"));
  const [name = ""] = await readdir(join(folder, "right"));
  right = parseDump(gunzipSync(await readFile(join(folder, "right", name))).toString());
  const empty = await emptyDatabase();
  target = connect(empty.url, { max: 1 });
  ends.push(() => target.close(), empty.drop);
});
afterAll(async () => {
  for (const end of ends) await end();
  await rm(folder, { recursive: true });
});

const file = () => join(folder, "gateway-20260101T000000Z.gz");

async function restore(into = target) {
  return cli(into.url, "restore", "--from", file(), "--yes");
}

async function tables({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ count: bigint }>(
    "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')",
  );
  return Number(rows[0]?.count);
}

const sectionOf = ({ sections }: Dump, table: string) => sections.find((each) => each.table === table)!;

const hostile: Record<string, [change: (dump: Dump) => void, message: RegExp]> = {
  "of another format": [({ header }) => (header["format"] = "other"), /unknown content/],
  "of a later version": [
    ({ header }) => header.migrations.push({ name: "29990101000000_later", checksum: "0".repeat(64) }),
    /29990101000000_later/,
  ],
  "with a day that does not exist": [
    ({ header }) => header.partitions.push("request_logs_20261399"),
    /request_logs_20261399/,
  ],
  "with a day twice": [({ header }) => header.partitions.push(header.partitions[0]!), /already exists/],
  "with SQL in a day": [
    ({ header }) => header.partitions.push("request_logs_20260101; DROP TABLE users"),
    /unknown content/,
  ],
  "with a column that no table has": [
    (dump) => sectionOf(dump, "users").columns.push('x") FROM STDIN; DROP TABLE users; --'),
    /users/,
  ],
  "with a value too many in a row": [
    (dump) => (sectionOf(dump, "users").rows[0] += "\tmore"),
    /users.*extra data/s,
  ],
  "with a table twice": [(dump) => dump.sections.push(sectionOf(dump, "users")), /users.*duplicate key/s],
  "with rows of an account that is missing": [(dump) => (sectionOf(dump, "users").rows = []), /foreign key/],
  "with a row of 20 MB": [
    (dump) => (sectionOf(dump, "users").rows[0] = "x".repeat(20 * 1024 * 1024)),
    /users/,
  ],
  "with a counter that no sequence can hold": [
    ({ sequences }) => (sequences[0]!.last = "9".repeat(19)),
    /out of range/,
  ],
};

it.each(Object.entries(hostile))(
  "a backup %s is refused, and nothing of it is kept",
  async (_what, [change, message]) => {
    const dump = structuredClone(right);
    change(dump);
    await writeFile(file(), gzipSync(formatDump(dump), { level: 1 }));
    const { exitCode, err } = await restore();
    expect(exitCode).not.toBe(0);
    expect(err).toMatch(message);
    expect(err).not.toMatch(/\n\s+at /);
    expect(err.length).toBeLessThan(4_000);
    expect(await tables(target)).toBe(0);
  },
);

it("a backup whose first line expands to 512 MB is refused without the memory for it", async () => {
  const block = Buffer.alloc(1024 * 1024, " ");
  await pipeline(
    Readable.from(Array.from({ length: 512 }, () => block)),
    createGzip({ level: 1 }),
    createWriteStream(file()),
  );
  const before = process.memoryUsage().rss;
  const { exitCode, err } = await restore();
  expect({ exitCode, err }).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining("a line is too long"),
  });
  expect(process.memoryUsage().rss - before).toBeLessThan(256 * 1024 * 1024);
  expect(await tables(target)).toBe(0);
});

it("a table of another program, whatever its name is, is skipped by one of two restores that begin at once", async () => {
  const dump = structuredClone(right);
  dump.sections.push({ table: 'x"; DROP TABLE users; --', columns: ["a"], rows: ["1"] });
  await writeFile(file(), gzipSync(formatDump(dump)));
  const outcomes = await Promise.all([restore(), restore()]);
  expect(outcomes.filter(({ exitCode }) => exitCode === 0)).toHaveLength(1);
  const { rows } = await target.pool.query<{ count: bigint }>("SELECT count(*) FROM users");
  expect(Number(rows[0]?.count)).toBe(sectionOf(right, "users").rows.length);
  expect((await audit(target.pool)).drift).toBe(0n);
});
