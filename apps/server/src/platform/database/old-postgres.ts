/** Finds the programs of an older Postgres, which an upgrade needs to read the old data. */
import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { isThere, majorOf, packageName, type PostgresPrograms } from "./postgres-home.ts";

/** The last packages of each major version that a gateway may have brought. */
const packageVersions: ReadonlyMap<number, string> = new Map([
  [15, "15.18.0-beta.17"],
  [16, "16.14.0-beta.17"],
  [17, "17.10.0-beta.17"],
  [18, "18.4.0-beta.17"],
]);

const run = promisify(execFile);
const downloadMs = 600_000;
const programMs = 30_000;
const outputBytes = 1_000_000;

/** Postgres of an older version. `remove` deletes what was downloaded. */
export interface OldPostgres extends PostgresPrograms {
  remove(): Promise<void>;
}

/**
 * Returns Postgres of a major version: from the folder of the operator, or from the npm registry. Throws with the next
 * step when that is impossible, or when the programs have another version.
 */
export async function obtainPostgres(
  version: number,
  folder: string | undefined,
  log: (sentence: string) => void,
): Promise<OldPostgres> {
  if (folder !== undefined) {
    const programs = await programsIn(resolve(folder), version);
    return { ...programs, remove: async () => {} };
  }
  const exact = packageVersions.get(version);
  if (exact === undefined)
    throw new Error(
      `There is no package of Postgres ${version}. Name a folder that contains bin/postgres of that version: --postgres <folder>.`,
    );
  const place = await mkdtemp(join(tmpdir(), "gateway-postgres-"));
  const remove = () => rm(place, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  try {
    // The account that Postgres runs as reads it, too.
    await chmod(place, 0o755);
    log(`Downloading Postgres ${exact} with npm.`);
    return { ...(await programsIn(await download(`${packageName()}@${exact}`, place), version)), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Returns the folder of the package. */
async function download(specifier: string, place: string): Promise<string> {
  const flags = ["--prefix", place, "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
  try {
    await run("npm", ["install", ...flags, "--cache", join(place, "cache"), specifier], {
      cwd: place,
      timeout: downloadMs,
      maxBuffer: outputBytes,
    });
    const folder = join(place, "node_modules", packageName());
    // Its links, which npm cannot pack. It is the only script of the package.
    await run(process.execPath, [join(folder, "scripts/hydrate-symlinks.js")], {
      cwd: folder,
      timeout: programMs,
    });
    return folder;
  } catch (cause) {
    const lines = cause instanceof Error && "stderr" in cause ? String(cause.stderr).trim() : String(cause);
    throw new Error(
      `${specifier} could not be installed: ${lines.slice(0, 500)}\n` +
        "Without access to the registry, install that package on another machine of the same kind, copy its folder here, " +
        "and name it: --postgres <folder>. Nothing was changed.",
      { cause },
    );
  }
}

async function programsIn(folder: string, version: number): Promise<PostgresPrograms> {
  const inPackage = join(folder, "native");
  const root = (await isThere(join(inPackage, "bin"))) ? inPackage : folder;
  const program = join(root, "bin", "postgres");
  let output: string;
  try {
    ({ stdout: output } = await run(program, ["--version"], { timeout: programMs }));
  } catch (cause) {
    throw new Error(`${program} does not run: ${String(cause)}. Name a folder that contains bin/postgres.`, {
      cause,
    });
  }
  const [, found = ""] = /(\d+(?:\.\d+)*)/.exec(output) ?? [];
  if (majorOf(found) !== version)
    throw new Error(
      `${program} is Postgres ${found || "of an unknown version"}, and the database was made by Postgres ${version}. Name a folder of that version: --postgres <folder>.`,
    );
  return { folder: root, version: found };
}
