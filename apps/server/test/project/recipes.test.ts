import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseSync } from "oxc-parser";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../../../..");

interface Recipe {
  edits(...args: string[]): unknown[];
  example: string[];
}

const { recipes } = (await import(join(root, "scripts/recipes/index.mjs"))) as {
  recipes: Record<string, Recipe>;
};
const { planEdits } = (await import(join(root, "scripts/recipes/edits.mjs"))) as {
  planEdits(root: string, edits: unknown[]): Map<string, string>;
};

/** Returns the file that an import of our own leads to; undefined for a library. */
function ownFile(importer: string, name: string): string | undefined {
  if (name.startsWith(".")) return join(importer, "..", name);
  if (!/^[#@]gateway\/|^#/.test(name)) return undefined;
  const { resolve } = createRequire(pathToFileURL(importer));
  return resolve(name);
}

/** Returns the names that a TypeScript file exports. */
function exportsOf(file: string, texts: ReadonlyMap<string, string>): string[] {
  const text = texts.get(file) ?? readFileSync(file, "utf8");
  const { staticExports } = parseSync(file, text).module;
  return staticExports.flatMap(({ entries }) => entries.map((entry) => entry.exportName.name ?? "*"));
}

describe("recipes", () => {
  it.each(Object.keys(recipes))("%s: imports names that exist", (name) => {
    const recipe = recipes[name] as Recipe;
    const planned = planEdits(root, recipe.edits(...recipe.example));
    const texts = new Map([...planned].map(([path, text]) => [join(root, path), text]));
    const missing = [...texts].flatMap(([file, text]) => {
      if (!/\.tsx?$/.test(file)) return [];
      return parseSync(file, text).module.staticImports.flatMap(({ moduleRequest, entries }) => {
        const target = ownFile(file, moduleRequest.value);
        if (target === undefined) return [];
        if (!existsSync(target) && !texts.has(target)) return [moduleRequest.value];
        const known = exportsOf(target, texts);
        const wanted = entries.flatMap(({ importName }) => importName.name ?? []);
        return known.includes("*") ? [] : wanted.filter((each) => !known.includes(each));
      });
    });
    expect(texts.size).toBeGreaterThan(1);
    expect(missing).toEqual([]);
  });
});
