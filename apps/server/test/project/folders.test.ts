import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../../../..");
const sources = ["apps/server", "apps/web", "packages/shared", "prisma/schema", "scripts"];
const skipped = new Set(["node_modules", "dist", "fixtures", "locales", "test-results"]);
const most = 49;

/** Returns the folders with more files than a reader can take in, with their number. */
function crowded(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).length;
  const own = files > most ? [`${relative(root, folder)}: ${files}`] : [];
  const below = entries.filter((entry) => entry.isDirectory() && !skipped.has(entry.name));
  return [...own, ...below.flatMap(({ name }) => crowded(join(folder, name)))];
}

it("no folder has fifty files: make folders by subject", () => {
  const generated = join("platform", "prisma");
  expect(
    sources.flatMap((source) => crowded(join(root, source))).filter((name) => !name.includes(generated)),
  ).toEqual([]);
});
