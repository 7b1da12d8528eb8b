import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../../../..");
const sources = ["apps/server/src", "apps/web/src", "packages/shared/src"];

/** Tables that are read with names of our own only, or with `entryOf`. */
const exceptions = new Set(["everywhere", "sortable"]);

/** Returns the tables of a file that a name from outside could read past, as in `table["constructor"]`. */
function plainTables(text: string): string[] {
  const tables = text.matchAll(
    /^(?:export )?const (\w+): (?:Readonly<|Partial<)*Record<string, [^=]*(?:=>[^=]*)*> = \{(?!\};)/gm,
  );
  return [...tables]
    .map(([, name = ""]) => name)
    .filter((name) => !exceptions.has(name) && new RegExp(String.raw`\b${name}\[(?!["'\d])`).test(text));
}

it("tables that are read by a name from outside inherit no names: use lookupTable", () => {
  expect(plainTables("const kinds: Record<string, string> = { a: 'b' };\nkinds[name];")).toEqual(["kinds"]);
  const found = sources.flatMap((source) =>
    readdirSync(join(root, source), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.tsx?$/.test(file) && !/\.(test|fixture)\.|platform[\\/]prisma/.test(file))
      .flatMap((file) =>
        plainTables(readFileSync(join(root, source, file), "utf8")).map(
          (name) => `${source}/${file}: ${name}`,
        ),
      ),
  );
  expect(found).toEqual([]);
});
