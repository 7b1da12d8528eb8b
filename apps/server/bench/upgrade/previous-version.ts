import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "#platform/places.ts";

const mostBytes = 500_000_000;

/**
 * Unpacks, installs and builds the version that `deploy/previous-version` names. Needs the history of the repository
 * and the npm registry. Returns its program.
 */
export function buildPrevious(folder: string): { version: string; main: string } {
  const [commit = "", version = ""] = readFileSync(join(root, "deploy/previous-version"), "utf8")
    .trim()
    .split(/\s+/);
  const place = join(folder, "previous");
  mkdirSync(place);
  const archive = spawnSync("git", ["archive", commit], { cwd: root, maxBuffer: mostBytes });
  if (archive.status !== 0)
    throw new Error(`The commit ${commit} of version ${version} is not in this clone: git fetch --unshallow`);
  execFileSync("tar", ["-x"], { cwd: place, input: archive.stdout });
  const steps =
    'import { install, generate, buildServer } from "./scripts/steps.mjs"; install(); generate(); buildServer();';
  execFileSync(process.execPath, ["--input-type=module", "-e", steps], { cwd: place, stdio: "inherit" });
  return { version, main: join(place, "apps/server/dist/bundle/main.js") };
}
