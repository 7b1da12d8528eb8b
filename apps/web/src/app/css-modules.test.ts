import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, it } from "vitest";

const source = resolve(import.meta.dirname, "..");
const files = readdirSync(source, { recursive: true, encoding: "utf8" }).map((file) => join(source, file));

/** Returns the classes that a style sheet defines. Those of libraries are in `:global(…)`. */
function definedIn(sheet: string): string[] {
  const text = readFileSync(sheet, "utf8").replace(/\/\*[^]*?\*\/|:global\([^)]*\)/g, "");
  const selectors = text.match(/[^{};]+(?=\{)/g) ?? [];
  return selectors.flatMap((selector) => selector.match(/(?<=\.)[a-z][\w-]*/gi) ?? []);
}

/** Returns the classes that the code names, as "sheet class". */
function namedIn(file: string): string[] {
  const text = readFileSync(file, "utf8");
  return [...text.matchAll(/^import (\w+) from "(.+\.module\.css)";$/gm)].flatMap(
    ([, name = "", from = ""]) => {
      const sheet = from.startsWith("#") ? join(source, from.slice(1)) : resolve(dirname(file), from);
      const uses = text.matchAll(new RegExp(`\\b${name}(?:\\.|\\[")([\\w-]+)`, "g"));
      return [...uses].map(([, className]) => `${sheet} ${className}`);
    },
  );
}

it("style sheets define the classes that the code names, and no others", () => {
  const sheets = files.filter((file) => file.endsWith(".module.css"));
  const defined = sheets.flatMap((sheet) => definedIn(sheet).map((className) => `${sheet} ${className}`));
  const named = files.filter((file) => /\.tsx?$/.test(file)).flatMap(namedIn);
  expect(defined.length).toBeGreaterThan(300);
  expect([...new Set(named)].sort()).toEqual([...new Set(defined)].sort());
});
