/**
 * Leaves out the parts of Mantine's components that no file names. `Menu.Sub = MenuSub` would otherwise bring submenus to
 * each page with a menu. The names of components for debugging are left out, too.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

const library = /\/@mantine\/(core|modals|notifications|spotlight)\/esm\/.*\.mjs$/;

/** A part of a component, as a statement of its own: `Menu.Item = MenuItem;`. */
const assigned = /^([A-Z]\w*)\.(\w+) = (?:[^;{]+|\{[^}]*\});$/gm;

/**
 * @param sources folders whose files use components
 * @param libraries folders of the library, whose components use each other
 */
export function unusedParts(sources: string[], libraries: string[]): Plugin {
  let used = new Set<string>();
  return {
    name: "unused-parts",
    apply: "build",
    buildStart() {
      used = new Set([
        ...sources.flatMap((folder) => namesIn(folder, /\.tsx?$/)),
        ...libraries.flatMap((folder) => namesIn(folder, /\.mjs$/)),
      ]);
    },
    transform(code, id) {
      if (!library.test(id)) return null;
      const kept = code.replace(assigned, (statement, component: string, part: string) =>
        used.has(`${component}.${part}`) ? statement : "",
      );
      return kept === code ? null : { code: kept, map: null };
    },
  };
}

/** Comments and texts, which name components, too, and the names that are assigned. */
const notRead = /\/\*[\s\S]*?\*\/|\/\/.*|"[^"\n]*"|`[^`]*`|^[A-Z]\w*\.\w+ = /gm;

/** Returns what the files read of components: `Menu.Item`. Their own assignments do not count. */
function namesIn(folder: string, wanted: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => wanted.test(name))
    .flatMap((name) => [
      ...readFileSync(join(folder, name), "utf8")
        .replaceAll(notRead, "")
        .matchAll(/\b[A-Z]\w*\.\w+/g),
    ])
    .map(([name]) => name);
}
