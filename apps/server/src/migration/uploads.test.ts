import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createUploads } from "./uploads.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "uploads-"));
});
afterAll(() => rm(folder, { recursive: true }));

const megabyte = Buffer.alloc(1024 ** 2, 7);
const files = () => readdir(join(folder, "imports")).catch(() => []);

it("keeps the file of the latest run only", async () => {
  const uploads = createUploads(folder);
  expect(await uploads.find(1)).toBeUndefined();
  await uploads.receive(1, Readable.from([megabyte, megabyte]));
  const path = await uploads.receive(2, Readable.from([Buffer.from("two")]));
  expect(await readFile(path, "utf8")).toBe("two");
  expect(await files()).toEqual(["2.db"]);
  await uploads.clear();
  expect(await uploads.find(2)).toBeUndefined();
});

it("rejects a file that is too large or does not fit the disk, and leaves nothing behind", async () => {
  const small = createUploads(folder, { largest: 1024 ** 2 });
  await expect(small.receive(1, Readable.from([megabyte, megabyte]))).rejects.toMatchObject({
    code: "body_too_large",
  });
  const full = createUploads(folder, { free: () => Promise.resolve(1) });
  await expect(full.receive(1, Readable.from([megabyte]))).rejects.toMatchObject({ code: "storage_full" });
  const cut = new Error("the client left");
  async function* leaving() {
    yield megabyte;
    throw cut;
  }
  await expect(createUploads(folder).receive(1, Readable.from(leaving()))).rejects.toBe(cut);
  expect(await files()).toEqual([]);
});
