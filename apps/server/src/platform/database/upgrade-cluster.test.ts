import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { obtainPostgres } from "./old-postgres.ts";
import { majorOf, packagedPrograms } from "./postgres-home.ts";
import { findOlderCluster } from "./upgrade-cluster.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "gateway-upgrade-cluster-"));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

async function createFolder(version: string): Promise<void> {
  await mkdir(join(dataDir, "postgres"));
  await writeFile(join(dataDir, "postgres", "PG_VERSION"), `${version}\n`);
  const notes = { data: "postgres", password: "secret", port: 0, initialised: true };
  await writeFile(join(dataDir, "embedded-postgres.json"), JSON.stringify(notes));
}

it("a cluster of an older Postgres is found with both versions", async () => {
  await createFolder("16");
  const bundled = majorOf((await packagedPrograms()).version);
  expect(await findOlderCluster(dataDir)).toMatchObject({ version: 16, bundled });
});

it("a cluster of the bundled Postgres needs no upgrade", async () => {
  await createFolder(String(majorOf((await packagedPrograms()).version)));
  expect(await findOlderCluster(dataDir)).toBeUndefined();
});

it("a cluster of a newer Postgres is refused with the next step", async () => {
  await createFolder("99");
  await expect(findOlderCluster(dataDir)).rejects.toThrow(
    /made by Postgres 99.*Start the version of the gateway/s,
  );
});

it("a cluster without a readable version is refused", async () => {
  await createFolder("");
  await expect(findOlderCluster(dataDir)).rejects.toThrow(/contains no version of Postgres/);
});

it("a DATA_DIR without an embedded database is refused", async () => {
  await expect(findOlderCluster(dataDir)).rejects.toThrow(/There is no embedded database in/);
});

it("programs of another version, or none, are refused", async () => {
  const { folder, version } = await packagedPrograms();
  await expect(obtainPostgres(16, folder, () => {})).rejects.toThrow(/is Postgres 18.*made by Postgres 16/s);
  await expect(obtainPostgres(16, dataDir, () => {})).rejects.toThrow(/does not run/);
  expect((await obtainPostgres(majorOf(version), folder, () => {})).folder).toBe(folder);
});

it("an old version without a known package needs a folder", async () => {
  await expect(obtainPostgres(9, undefined, () => {})).rejects.toThrow(/--postgres <folder>/);
});
