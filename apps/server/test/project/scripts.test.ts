import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseSync } from "oxc-parser";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../../../..");

/** What README, CONTRIBUTING.md and the workflows start in a fresh clone. Each installs the libraries itself. */
const programs = [
  "scripts/start.mjs",
  "scripts/test.mjs",
  "scripts/run.mjs",
  "scripts/verify.mjs",
  "scripts/prisma.mjs",
  "scripts/recipes/new.mjs",
];

/** Returns the libraries that a file and the files that it imports need to start, each with the file that needs it. */
function librariesOf(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const { staticImports } = parseSync(file, readFileSync(file, "utf8")).module;
  return staticImports.flatMap(({ moduleRequest: { value: name } }) => {
    if (name.startsWith("node:")) return [];
    if (name.startsWith(".")) return librariesOf(join(file, "..", name), seen);
    return [`${relative(root, file)}: ${name}`];
  });
}

describe("scripts", () => {
  it("are checked together with the files that they import", () => {
    expect(librariesOf(join(root, "scripts/structure.mjs"))).toEqual(["scripts/structure.mjs: oxc-parser"]);
    expect(librariesOf(join(root, "scripts/recipes/index.mjs"))).toContain(
      "scripts/recipes/edits.mjs: oxc-parser",
    );
  });

  it.each(programs)("%s: starts before the libraries are installed", (program) => {
    expect(librariesOf(join(root, program))).toEqual([]);
  });
});
