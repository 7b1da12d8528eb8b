import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type S3Server, startS3Server } from "#test/s3-server.ts";
import { openFolder } from "./folder.ts";
import { openS3 } from "./s3.ts";
import type { ObjectStorage } from "./storage.ts";

let server: S3Server;
let folder: string;
beforeAll(async () => {
  server = await startS3Server("backups", "the-key");
  folder = await mkdtemp(join(tmpdir(), "storage-"));
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

const names = ["gateway-20261127T010000Z.gz", "gateway-20261128T010000Z.gz"];
const never = new AbortController().signal;

function openBucket(fields: Partial<Parameters<typeof openS3>[0]> = {}): ObjectStorage {
  return openS3({
    endpoint: server.endpoint,
    region: "us-east-1",
    bucket: "backups",
    prefix: "gateway",
    accessKeyId: "the-key",
    secretAccessKey: "secret",
    ...fields,
  });
}

function bytesOf(size: number): Readable {
  const chunk = Buffer.alloc(1_000_000, "x");
  return Readable.from(
    Array.from({ length: Math.ceil(size / chunk.length) }, (_, index) =>
      chunk.subarray(0, Math.min(chunk.length, size - index * chunk.length)),
    ),
    { objectMode: false },
  );
}

/** Fails after some bytes. */
function broken(size: number): Readable {
  return Readable.from(
    (async function* () {
      yield* bytesOf(size) as AsyncIterable<Buffer>;
      throw new Error("the database went away");
    })(),
    { objectMode: false },
  );
}

describe.each([
  ["a folder", () => openFolder(join(folder, "gateway"))],
  ["a bucket", () => openBucket()],
])("%s", (_kind, open) => {
  it("stores, lists, reads and deletes files", async () => {
    const storage = open();
    expect(await storage.list("")).toEqual([]);
    expect(await storage.write(names[0]!, bytesOf(20_000_000), never)).toBe(20_000_000);
    expect(await storage.write(names[1]!, bytesOf(5), never)).toBe(5);
    expect((await storage.list("")).sort((a, b) => a.bytes - b.bytes)).toEqual([
      { name: names[1], bytes: 5 },
      { name: names[0], bytes: 20_000_000 },
    ]);
    expect((await buffer(await storage.read(names[0]!))).length).toBe(20_000_000);
    await storage.remove(names[0]!);
    expect((await storage.list("")).map(({ name }) => name)).toEqual([names[1]]);
    await expect(storage.read(names[0]!)).rejects.toMatchObject({ params: { reason: "object_missing" } });
    await storage.remove(names[1]!);
  });

  it("stores nothing of a file that failed", async () => {
    const storage = open();
    for (const size of [5, 20_000_000])
      await expect(storage.write(names[0]!, broken(size), never)).rejects.toThrow("the database went away");
    expect(await storage.list("")).toEqual([]);
    expect(server.uploads.size + server.objects.size).toBe(0);
  });
});

it("a folder ignores unfinished files, and deletes nothing that is not a day old", async () => {
  const path = join(folder, "others");
  const storage = openFolder(path);
  await storage.write(names[0]!, bytesOf(5), never);
  await writeFile(join(path, "gateway-notes.txt"), "");
  await writeFile(join(path, `${names[1]}.incomplete`), "");
  await storage.write(names[0]!, bytesOf(5), never);
  expect(new Set((await storage.list("")).map(({ name }) => name))).toEqual(
    new Set(["gateway-notes.txt", names[0]]),
  );
  expect((await readdir(path)).length).toBe(3);
});

it("a folder that is a file is named with the reason", async () => {
  const path = join(folder, "file");
  await writeFile(path, "");
  await expect(openFolder(path).write(names[0]!, bytesOf(5), never)).rejects.toMatchObject({
    params: { reason: "object_storage_failed", place: path },
  });
});

it("a wrong access key, bucket or address is named", async () => {
  const reasonOf = (storage: ObjectStorage) => storage.write(names[0]!, bytesOf(5), never);
  await expect(reasonOf(openBucket({ accessKeyId: "other" }))).rejects.toMatchObject({
    params: { reason: "object_storage_denied", detail: "HTTP 403 InvalidAccessKeyId" },
  });
  await expect(openBucket({ bucket: "none" }).list("")).rejects.toMatchObject({
    params: { reason: "object_storage_failed", detail: "the bucket does not exist" },
  });
  await expect(reasonOf(openBucket({ bucket: "none" }))).rejects.toMatchObject({
    params: { reason: "object_storage_failed" },
  });
  await expect(reasonOf(openBucket({ endpoint: "http://127.0.0.1:2" }))).rejects.toMatchObject({
    params: { reason: "object_storage_failed", detail: expect.stringContaining("ECONNREFUSED") },
  });
});

it("a request that a busy service fails is repeated", async () => {
  server.failures.push(503, 500);
  const storage = openBucket();
  await storage.write(names[0]!, bytesOf(5), never);
  expect((await storage.list("")).length).toBe(1);
  await storage.remove(names[0]!);
});

it("files of a folder are listed by their name in it", async () => {
  for (const storage of [openFolder(join(folder, "nested")), openBucket({ prefix: "nested" })]) {
    for (const name of ["a/b/2.bin", "a/b/1.bin", "a/3.bin"]) await storage.write(name, bytesOf(5), never);
    const listed = async (below: string) => (await storage.list(below)).map(({ name }) => name).sort();
    expect(await listed("a/b")).toEqual(["1.bin", "2.bin"]);
    expect(await listed("a")).toEqual(["3.bin"]);
    expect(await listed("")).toEqual([]);
    expect(await listed("none")).toEqual([]);
  }
});

it("a list without end is not kept in memory", async () => {
  const prefix = "long";
  server.objects.set(`${prefix}/${"x".repeat(17 * 1024 * 1024)}`, Buffer.alloc(1));
  await expect(openBucket({ prefix }).list("")).rejects.toMatchObject({
    params: { reason: "object_storage_failed" },
  });
  server.objects.clear();
});
