import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { Decrypter, Encrypter } from "age-encryption";
import fc from "fast-check";
import { expect, it } from "vitest";
import { decodeFile, encodeFile } from "./backup-file.ts";
import { countingConsumer, readDump } from "./read-dump.ts";
import { expiredBackups } from "./retention.ts";
import { backupName } from "./stored-backups.ts";

/** A dump with one table, whose rows are written as COPY does. */
function dumpOf(rows: readonly string[], changes: { rows?: number; sha256?: string } = {}): Buffer {
  const content = rows.map((row) => `${row.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n`).join("");
  const header = {
    format: "gateway-backup",
    formatVersion: 1,
    version: "0.2.0",
    createdAt: "2026-11-28T00:00:00.000Z",
    migrations: [],
    partitions: [],
  };
  const table = {
    table: "users",
    rows: rows.length,
    sha256: createHash("sha256").update(content).digest("hex"),
    ...changes,
  };
  return Buffer.from(
    [header, { table: "users", columns: ["id"] }].map((line) => `${JSON.stringify(line)}\n`).join("") +
      `${content}\\.\n${JSON.stringify({ tables: [table], sequences: [] })}\n`,
  );
}

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

it("a dump is read in chunks of any size, whatever its rows contain", async () => {
  const row = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.constantFrom("\\.", "\\.\n", "", "\n\\.\n", ".\\"),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { maxLength: 20 }),
      fc.integer({ min: 1, max: 50 }),
      async (rows, size) => {
        let read = "";
        const { trailer } = await readDump(chunksOf(dumpOf(rows), size), "a file", {
          async table(table, content) {
            const chunks: Buffer[] = [];
            for await (const chunk of content) chunks.push(chunk);
            read = Buffer.concat(chunks).toString();
            return countingConsumer.table(table, Readable.from(chunks));
          },
        });
        expect(trailer.tables[0]!.rows).toBe(rows.length);
        expect(dumpOf(rows).toString()).toContain(read);
      },
    ),
  );
});

it("a dump that was cut anywhere is rejected", async () => {
  const whole = dumpOf(["one", "two\\."]);
  for (let length = 0; length < whole.length; length += 1)
    await expect(
      readDump(chunksOf(whole.subarray(0, length), 16), "f", countingConsumer),
    ).rejects.toMatchObject({
      params: { reason: "backup_cut" },
    });
  const longer = Buffer.concat([whole, Buffer.from("{}")]);
  await expect(readDump(chunksOf(longer, 16), "f", countingConsumer)).rejects.toMatchObject({
    params: { reason: "backup_cut" },
  });
});

it("a table with other rows than its writer noted is rejected", async () => {
  for (const changes of [{ rows: 2 }, { sha256: "0".repeat(64) }])
    await expect(
      readDump(chunksOf(dumpOf(["one"], changes), 16), "f", countingConsumer),
    ).rejects.toMatchObject({ params: { reason: "backup_changed", table: "users" } });
});

it("an encrypted file is a file of age: each opens what the other wrote", async () => {
  const dump = dumpOf(Array.from({ length: 20_000 }, (_, index) => `row ${index} ${Math.sin(index)}`));
  const file = await buffer(await encodeFile(chunksOf(dump, 60_000), "a passphrase"));
  const decrypter = new Decrypter();
  decrypter.addPassphrase("a passphrase");
  const zipped = await decrypter.decrypt(new Uint8Array(file));
  const encrypter = new Encrypter();
  encrypter.setPassphrase("another");
  encrypter.setScryptWorkFactor(10);
  const theirs = Buffer.from(await encrypter.encrypt(zipped));
  const read = await decodeFile(Readable.from([theirs]), "f", "another");
  expect((await buffer(Readable.from(read))).equals(dump)).toBe(true);
  await expect(decodeFile(Readable.from([theirs]), "f", "wrong")).rejects.toMatchObject({
    params: { reason: "backup_passphrase_wrong" },
  });
});

it("an error of the database is the error of the file", async () => {
  async function* failing(): AsyncGenerator<Buffer> {
    yield Buffer.from("x");
    throw new Error("the database went away");
  }
  for (const passphrase of [undefined, "secret"])
    await expect(encodeFile(failing(), passphrase).then((file) => buffer(file))).rejects.toThrow(
      "the database went away",
    );
});

it("the newest backups and the young ones are kept, and at least one", () => {
  const now = new Date("2026-11-28T12:00:00Z");
  const backups = [0, 1, 2, 3, 10].map((days) => {
    const createdAt = new Date(now.getTime() - days * 86_400_000 - 1);
    return { name: backupName(createdAt, false), bytes: 1, createdAt };
  });
  const expired = (keepLast: number, keepDays: number) =>
    expiredBackups(backups, { keepLast, keepDays }, now).map((name) =>
      backups.findIndex((one) => one.name === name),
    );
  expect(expired(2, 0)).toEqual([2, 3, 4]);
  expect(expired(2, 3)).toEqual([3, 4]);
  expect(expired(0, 0)).toEqual([1, 2, 3, 4]);
  expect(expired(10, 0)).toEqual([]);
});
