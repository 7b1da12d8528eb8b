import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openFolder } from "#platform/storage/folder.ts";
import { backupName, listBackups, timeOfName } from "./stored-backups.ts";

it("the name of a backup states when it was begun", () => {
  const name = backupName(new Date("2026-11-27T01:00:00.000Z"), false);
  expect(name).toBe("gateway-20261127T010000Z.gz");
  expect(timeOfName(name)).toEqual(new Date("2026-11-27T01:00:00Z"));
  for (const other of ["gateway.dump", "gateway-20261399T010000Z.gz", `${name}.incomplete`, `../${name}`])
    expect(timeOfName(other)).toBeUndefined();
});

it("backups are listed newest first, without other files", async () => {
  const folder = await mkdtemp(join(tmpdir(), "stored-"));
  const [older, newer] = ["2026-11-27T01:00:00.000Z", "2026-11-28T01:00:00.000Z"].map((time) =>
    backupName(new Date(time), true),
  );
  for (const name of [older!, newer!, "gateway-notes.txt"]) await writeFile(join(folder, name), "12345");
  expect((await listBackups(openFolder(folder))).map(({ name, bytes }) => [name, bytes])).toEqual([
    [newer, 5],
    [older, 5],
  ]);
  await rm(folder, { recursive: true });
});
