import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSpool } from "./spool.ts";

const MEGABYTE = 1024 * 1024;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "spool-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("spool: on a nearly full disk", () => {
  it("rejects a large upload with 507 and leaves no file", async () => {
    const spool = createSpool({ folder, account: 1, free: async () => 255 * MEGABYTE });
    await expect(spool.append(Buffer.alloc(2 * MEGABYTE))).rejects.toMatchObject({
      code: "storage_full",
      status: 507,
    });
    await spool.close();
    expect(await readdir(folder)).toEqual([]);
  });

  it("accepts what fits into memory, and a large upload once there is space", async () => {
    let free = 0;
    const spool = createSpool({ folder, account: 1, free: async () => free });
    await spool.append(Buffer.alloc(MEGABYTE, 1));
    await expect(spool.append(Buffer.alloc(1))).rejects.toMatchObject({ code: "storage_full" });
    free = 1_024 * MEGABYTE;
    await spool.append(Buffer.alloc(1, 2));
    const pieces: Buffer[] = [];
    for await (const piece of spool.read(0, spool.length)) pieces.push(piece);
    expect(Buffer.concat(pieces).at(-1)).toBe(2);
    expect(spool.length).toBe(MEGABYTE + 1);
    await spool.close();
  });
});

it("spool: an account has a share of the disk, and the others have the rest", async () => {
  const open = (account: number) => createSpool({ folder, account, maxOfAccount: 3 * MEGABYTE });
  const [first, second, other] = [open(1), open(1), open(2)];
  const two = Buffer.alloc(2 * MEGABYTE);
  await first.append(two);
  const refused = {
    code: "rate_limit_exceeded",
    status: 429,
    params: { reason: "uploads_at_once", megabytes: 3 },
  };
  await expect(second.append(two)).rejects.toMatchObject(refused);
  await other.append(two);
  await first.close();
  await second.append(two);
  await Promise.all([second, other].map((spool) => spool.close()));
});
