import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { expect, it } from "vitest";

const mantine = join(import.meta.dirname, "../../node_modules/@mantine");
const core = join(mantine, "core");
const read = (file: string) => readFileSync(file, "utf8");

/** Yields the names that a file imports from Mantine's components. */
function* importedNames(file: string): Generator<string> {
  for (const [, names = ""] of read(file).matchAll(/import \{([^}]*)\} from "@mantine\/core"/g))
    for (const name of names.split(",").map((each) => each.trim()))
      if (name !== "" && !name.startsWith("type ")) yield name.split(" as ")[0] ?? name;
}

function sourceFiles(folder: string, ending: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => ending.test(name))
    .map((name) => join(folder, name));
}

/** The module of each export. */
const moduleOf = new Map(
  [...read(join(core, "esm/index.mjs")).matchAll(/import \{([^}]*)\} from "(\.[^"]+)"/g)].flatMap(
    ([, names = "", file = ""]) =>
      names
        .split(",")
        .map((name) => [name.trim().split(" as ").at(-1) ?? "", join(core, "esm", file)] as const),
  ),
);

/** Adds the style sheets of a module and of the modules that it imports. */
function addStyles(file: string, sheets: Set<string>, seen: Set<string>): void {
  if (seen.has(file)) return;
  seen.add(file);
  if (file.endsWith(".module.mjs")) sheets.add(basename(file, ".module.mjs"));
  else
    for (const [, path = ""] of read(file).matchAll(/from "(\.[^"]+)"/g))
      addStyles(resolve(dirname(file), path), sheets, seen);
}

it("the style sheet of Mantine has the styles of the components that the console uses, and no others", () => {
  const others = ["modals", "notifications", "spotlight"].map((name) => join(mantine, name, "esm"));
  const files = [
    ...sourceFiles(join(import.meta.dirname, ".."), /\.tsx?$/),
    ...others.flatMap((folder) => sourceFiles(folder, /\.mjs$/)),
  ];
  const sheets = new Set<string>();
  const seen = new Set<string>();
  for (const name of files.flatMap((file) => [...importedNames(file)])) {
    const file = moduleOf.get(name);
    if (file !== undefined) addStyles(file, sheets, seen);
  }
  const imported = [
    ...read(join(import.meta.dirname, "mantine-styles.css")).matchAll(/styles\/([\w-]+)\.css/g),
  ].map(([, name]) => name);
  const always = ["baseline", "default-css-variables", "global"];
  expect(sheets.size).toBeGreaterThan(40);
  expect(
    imported.filter((name) => name !== undefined && !existsSync(join(core, "styles", `${name}.css`))),
  ).toEqual([]);
  expect(imported.toSorted()).toEqual([...always, ...sheets].toSorted());
});
