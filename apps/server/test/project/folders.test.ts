import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../../../..");
const sources = [
  "apps/server/bench",
  "apps/server/src",
  "apps/web/e2e",
  "apps/web/src",
  "packages/demo/src",
  "packages/shared/src",
  "scripts",
];
const skipped = new Set(["node_modules", "dist", "fixtures", "locales", "prisma"]);
const most = 20;

/** Folders with more files, because each file is one record of a registry. */
const registries = new Set(["apps/server/src/providers/definitions", "apps/server/src/jobs"]);

/** Returns the folders with more files than a reader can take in, with their number. Tests do not count. */
function crowded(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  const path = relative(root, folder).replaceAll("\\", "/");
  const files = entries.filter((entry) => entry.isFile() && !/\.(test|fixture)\.|\.css$/.test(entry.name));
  const own = files.length > most && !registries.has(path) ? [`${path}: ${files.length}`] : [];
  const below = entries.filter((entry) => entry.isDirectory() && !skipped.has(entry.name));
  return [...own, ...below.flatMap(({ name }) => crowded(join(folder, name)))];
}

it("no folder has more than twenty files: make folders by subject", () => {
  expect(sources.flatMap((source) => crowded(join(root, source)))).toEqual([]);
});
