import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readOrCreateSecret } from "./secret-file.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gateway-secret-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("the kept secret", () => {
  it("is the same for all nodes that start together on an empty folder", async () => {
    const secrets = await Promise.all(Array.from({ length: 20 }, () => readOrCreateSecret(folder)));
    expect(new Set(secrets).size).toBe(1);
    expect(await readOrCreateSecret(folder)).toBe(secrets[0]);
    expect(await readdir(folder)).toEqual(["secret-key"]);
    expect((await stat(join(folder, "secret-key"))).mode & 0o777).toBe(0o600);
  });

  for (const [what, text] of [
    ["empty", ""],
    ["only white space", " \n\n"],
    ["truncated", "abcdefghij"],
  ] as const)
    it(`is refused with what to do when the file is ${what}`, async () => {
      await writeFile(join(folder, "secret-key"), text);
      await expect(readOrCreateSecret(folder)).rejects.toThrow(
        /secret-key (is empty|has only 10 characters).*backup/,
      );
    });
});
