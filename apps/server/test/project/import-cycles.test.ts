import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../../../..");

/** Returns every file of a package with the files of the package that it imports, type imports included. */
function importGraph(source: string): Map<string, string[]> {
  const files = readdirSync(source, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter(
      (file) => /\.tsx?$/.test(file) && !file.includes(".test.") && !file.startsWith("platform/prisma"),
    );
  return new Map(
    files.map((file) => {
      const text = readFileSync(join(source, file), "utf8");
      const imports = [...text.matchAll(/^(?:import|export)\b[^;]*?\bfrom "(#|\.\/)([^"]+)"/gm)].map(
        ([, kind, path = ""]) => (kind === "#" ? path : posix.join(posix.dirname(file), path)),
      );
      return [file, imports];
    }),
  );
}

/** Returns import cycles, one list of files per cycle. */
function importCycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const done = new Set<string>();
  const path: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: string) => {
    const at = path.indexOf(file);
    if (at !== -1) cycles.push([...path.slice(at), file]);
    if (at !== -1 || done.has(file)) return;
    path.push(file);
    for (const next of graph.get(file) ?? []) visit(next);
    path.pop();
    done.add(file);
  };
  for (const file of graph.keys()) visit(file);
  return cycles;
}

describe("imports", () => {
  it("finds a cycle through three files", () => {
    const graph = new Map([
      ["a.ts", ["b.ts"]],
      ["b.ts", ["c.ts", "d.ts"]],
      ["c.ts", ["a.ts"]],
      ["d.ts", []],
    ]);
    expect(importCycles(graph)).toEqual([["a.ts", "b.ts", "c.ts", "a.ts"]]);
  });

  it.each(["apps/server/src", "apps/web/src", "packages/shared/src"])(
    "%s: has no import cycles, type imports included",
    (source) => {
      const graph = importGraph(join(root, source));
      expect(graph.size).toBeGreaterThan(30);
      expect([...graph.values()].flat().length).toBeGreaterThan(30);
      expect(importCycles(graph)).toEqual([]);
    },
  );

  it("relay/core/call.ts: imports nothing of the relay", () => {
    const imports = importGraph(join(root, "apps/server/src")).get("relay/core/call.ts") ?? [];
    expect(imports).not.toEqual([]);
    expect(imports.filter((path) => path.startsWith("relay/"))).toEqual([]);
  });
});
